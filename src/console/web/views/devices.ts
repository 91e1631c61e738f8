import "./details.ts";
export { Devices } from "./devices/devices.tsx";
