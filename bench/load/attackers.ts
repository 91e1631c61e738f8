import type { Attack } from "../stall/attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/**
 * A session ends after a hundred further sign-ins of its account, which take about three minutes. By then, attackers have
 * come back with new accounts.
 */
const ROUND_MS = 2 * 60_000;

/** Responses to attacks, by the attack's name and status. */
export type AttackerAnswers = Record<string, Record<string, number>>;

/** Attackers that go on until they are stopped. */
export interface Attackers {
  /** Complete once they have ended. */
  readonly answers: AttackerAnswers;
  /** Lets them send their last requests. Throws what ended an attack early. */
  end(): Promise<void>;
}

export interface AttackersOptions {
  readonly scene: LargeScene;
  readonly attacks: readonly Attack[];
  readonly url: string;
}

/** Attacks the service at the URL in all these ways at once. */
export function runAttackers({ scene, attacks, url }: AttackersOptions): Attackers {
  const port = Number(new URL(url).port);
  const answers: AttackerAnswers = {};
  const hasEnded = new AbortController();

  async function attack({ name, prepare }: Attack): Promise<void> {
    const counts: Record<string, number> = answers[name] = {};
    const note = (status: number): void => void (counts[status] = (counts[status] ?? 0) + 1);
    while (!hasEnded.signal.aborted) {
      const strike = await prepare(scene);
      const startedAt = performance.now();
      await strike({
        url,
        port,
        note,
        get endsAt(): number {
          return hasEnded.signal.aborted ? startedAt : startedAt + ROUND_MS;
        },
      });
    }
  }

  const running = Promise.all(attacks.map(attack));
  // Shown where the end is awaited.
  running.catch(() => undefined);
  return {
    answers,
    async end(): Promise<void> {
      hasEnded.abort();
      await running;
    },
  };
}
