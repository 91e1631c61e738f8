import { Name } from "../../components/name.tsx";
import { type Device, typeOf } from "./device.ts";

/** The type of a device, if it has one, and its nodeId. */
export function Kind({ device }: { readonly device: Device }) {
  const type = typeOf(device);
  return (
    <>
      {type !== undefined && (
        <>
          <Name>{type}</Name> ·{" "}
        </>
      )}
      <Name>{device.properties.nodeId}</Name>
    </>
  );
}
