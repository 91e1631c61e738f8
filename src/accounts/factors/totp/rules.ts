import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { generateHOTP } from "@oslojs/otp";
import { SECOND_MS } from "../../../core/clock.ts";
import { toBase32 } from "../../../core/encoding.ts";

/** Length of a secret in bytes (160 bits: RFC 4226, section 4, R6), of a step in seconds, and of a code. */
export const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
export const STEP_MS = STEP_SECONDS * SECOND_MS;
const DIGITS = 6;

/** Tolerated clock difference and delay, in steps either way (RFC 6238, section 5.2). */
const TOLERATED_STEPS = 1;

/** Returns the step of a time in milliseconds. */
export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

/** Returns the code of a step. */
export function codeOfStep(secret: Uint8Array, step: number): string {
  return generateHOTP(secret, BigInt(step), DIGITS);
}

/**
 * Returns the latest tolerated step with this code, or undefined. Compares all steps in constant time, so that timing
 * only reveals the code's length.
 */
export function findStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  if (code.length !== DIGITS) return undefined;
  const submitted = Buffer.from(code, "utf16le");
  const current = stepAt(nowMs);
  let found: number | undefined;
  for (let step = current - TOLERATED_STEPS; step <= current + TOLERATED_STEPS; step++) {
    const matches = timingSafeEqual(Buffer.from(codeOfStep(secret, step), "utf16le"), submitted);
    found = matches ? step : found;
  }
  return found;
}

/** Returns the URL for authenticator apps. Spaces are encoded as %20, because some apps show a plus sign literally. */
export function otpauthUrl(secret: Uint8Array, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?issuer=${encodeURIComponent(issuer)}&secret=${toBase32(secret)}` +
    `&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
