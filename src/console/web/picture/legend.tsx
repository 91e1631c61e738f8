import { RightsTicks } from "../components/rights.tsx";
import { texts } from "../language.ts";
import { ALL } from "../rights.ts";

/** The legend of a picture's ticks. */
export function Legend() {
  const { legend, notHeld, lost } = texts.value.rights;
  return (
    <div class="legend">
      <span>
        <RightsTicks rights={ALL} /> {legend}
      </span>
      <span>
        <RightsTicks rights={{}} only="alarmManagement" /> {notHeld}
      </span>
      <span>
        <RightsTicks rights={{}} before={ALL} only="alarmManagement" /> {lost}
      </span>
    </div>
  );
}
