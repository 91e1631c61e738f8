import { texts } from "../language.ts";
import { cameFrom, follow, goBack, ROOT } from "../router.ts";

interface WayBackProps {
  /** Where to, if the address was opened by itself. */
  readonly to: string;
  readonly label: string;
}

/** The way back to the view that led here, by the history: so it is as it was left. */
export function WayBack({ to, label }: WayBackProps) {
  const { value: from } = cameFrom;
  return (
    <a
      href={ROOT + (from ?? to)}
      class="way-back"
      onClick={(event) => follow(event, from === undefined ? undefined : goBack)}
    >
      {from === undefined ? label : texts.value.back}
    </a>
  );
}
