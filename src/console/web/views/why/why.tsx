import { describeAsOf } from "../../components/as_of.tsx";
import { ProblemNote } from "../../components/form.tsx";
import { Heading } from "../../components/heading.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import type { Problem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";
import { useRoleName } from "../../use_role_name.ts";
import { useTitle } from "../../use_title.ts";
import { AnswerText } from "./answer_text.tsx";
import { Fixes } from "./fixes.tsx";
import { type Answer, loadAnswer } from "./load_answer.ts";
import { QuestionFields, readQuestion } from "./question_fields.tsx";
import { WhyPicture } from "./why_picture.tsx";

/**
 * `/why?person=…&role=12&right=alarmManagement`: why a person has a right on a role, or why not; also `key`, `asOf`.
 */
export function Why() {
  const { why, loading } = texts.value;
  useTitle(why.title);
  const { roleId, right, ...rest } = readQuestion();
  const ownEmail = me.value?.email;
  const { data, problem, isLoading } = useLoad(
    JSON.stringify(["why", roleId, right, rest, ownEmail]),
    async (signal) =>
      roleId === undefined || right === undefined || ownEmail === undefined
        ? undefined
        : await loadAnswer({ roleId, right, ...rest }, ownEmail, signal),
  );
  const answer = problem === undefined ? data : undefined;
  const isComplete = roleId !== undefined && right !== undefined;
  return (
    <main class="why" aria-busy={isLoading}>
      <section class="asking">
        <Heading>{why.title}</Heading>
        {!isComplete && <p class="intro">{why.intro}</p>}
        <QuestionFields roleName={useRoleName(roleId)} hasHints={!isComplete} />
        <ProblemNote problem={problem} describe={describe} />
        <div role="status">
          {answer !== undefined && <AnswerText answer={answer} />}
          {answer === undefined && problem === undefined && isComplete && <p class="hint">{loading}</p>}
        </div>
        {answer?.question.asOf !== undefined && <p class="hint">{why.past}</p>}
        {answer !== undefined && <Fixes answer={answer} />}
      </section>
      {!isComplete && <p class="ways hint">{why.incomplete}</p>}
      {answer !== undefined && hasPicture(answer) && <WhyPicture answer={answer} />}
    </main>
  );
}

/** Whether there is a way to the role, which the viewer sees, or would in a session that shows more. */
function hasPicture(
  { question: { roleId }, roles, explanation: { ways, blocked, stepUp } }: Answer,
): boolean {
  return (roles.has(roleId) && ways.length + blocked.length > 0) || stepUp !== undefined;
}

function describe(problem: Problem): string | undefined {
  const { asked } = readQuestion();
  const isAddress = asked === undefined || !("userEmail" in asked) || asked.userEmail.includes("@");
  if (problem.status === 400 && !isAddress) return texts.value.notAnAddress;
  return describeAsOf(problem);
}
