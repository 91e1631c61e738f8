import "./details.ts";
export { Why } from "./why/why.tsx";
