import { useSignal } from "@preact/signals";
import { chooseLanguage, isLanguage, language, LANGUAGES, texts } from "../language.ts";
import { type Problem, toProblem } from "../problem.ts";
import { ProblemNote } from "./form.tsx";

/** The language of the page, on this device. */
export function LanguageChoice() {
  const problem = useSignal<Problem | undefined>(undefined);
  const choose = async (select: HTMLSelectElement): Promise<void> => {
    problem.value = undefined;
    try {
      if (isLanguage(select.value)) await chooseLanguage(select.value);
    } catch (error) {
      problem.value = toProblem(error);
    }
    select.value = language.value;
  };
  return (
    <div class="language">
      <label>
        {texts.value.account.language}
        <select value={language.value} onChange={({ currentTarget }) => void choose(currentTarget)}>
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>{name}</option>
          ))}
        </select>
      </label>
      <ProblemNote problem={problem.value} />
    </div>
  );
}
