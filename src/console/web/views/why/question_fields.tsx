import { normalizeEmail } from "../../../../core/email.ts";
import { AsOfField, describeMoment, readAsOf } from "../../components/as_of.tsx";
import { Choice } from "../../components/choice.tsx";
import { Link } from "../../components/link.tsx";
import { PersonField } from "../../components/person_field.tsx";
import { RoleField } from "../../components/role_field.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { navigate, query, readId, withQuery } from "../../router.ts";
import { ASKABLE, type Asked, type Question } from "./load_answer.ts";

/** The question in the address, possibly incomplete. */
interface AskedSoFar extends Omit<Question, "roleId" | "right"> {
  readonly roleId: number | undefined;
  readonly right: Question["right"] | undefined;
}

/** Reads the question from the address. */
export function readQuestion(): AskedSoFar {
  return {
    asked: readAsked(),
    roleId: readId(query.value.get("role")),
    right: ASKABLE.find((name) => name === query.value.get("right")),
    asOf: readAsOf(),
  };
}

/** Reads the subject. Without one, or with the viewer's own address, it is the viewer. */
function readAsked(): Asked {
  const keyId = readId(query.value.get("key"));
  if (keyId !== undefined) return { keyId };
  const person = normalizeEmail(query.value.get("person") ?? "");
  return person === "" || person === me.value?.email ? undefined : { userEmail: person };
}

interface QuestionFieldsProps {
  readonly roleName: string | undefined;
  /** Whether to explain empty fields. */
  readonly hasHints: boolean;
}

/** The fields of a question: person, role, right and time. Their values are in the address. */
export function QuestionFields({ roleName, hasHints }: QuestionFieldsProps) {
  const { why, rights, hierarchy: { rights: { sees } } } = texts.value;
  const names = { ...rights.names, member: sees.name };
  const { asked, roleId, right, asOf } = readQuestion();
  const set = (change: Readonly<Record<string, string | undefined>>): void => navigate(withQuery(change));
  return (
    <div class="question">
      {asked !== undefined && "keyId" in asked
        ? (
          <p class="field">
            {why.aboutKey(asked.keyId)} <Link to={withQuery({ key: undefined })}>{why.notKey}</Link>
          </p>
        )
        : (
          <PersonField
            label={texts.value.find.kinds.person}
            hint={hasHints ? why.personHint : undefined}
            peopleOf={roleId}
          />
        )}
      <RoleField
        label={texts.value.words.role}
        chosen={roleName}
        onRole={({ id }) => set({ role: String(id) })}
      />
      <Choice
        label={why.right}
        value={right ?? ("" as string)}
        options={right === undefined ? { "": why.chooseRight, ...names } : names}
        onValue={(value) => set({ right: value || undefined })}
      />
      <AsOfField
        hint={typeof asOf === "number" ? describeMoment(asOf) : hasHints ? why.asOfHint : undefined}
      />
    </div>
  );
}
