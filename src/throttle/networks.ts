import { isIP } from "node:net";
import type { Secrets } from "../core/secrets.ts";
import { addressBucket, ipv6Network } from "../http/client_address.ts";
import { IPV4_NETWORKS, IPV6_NETWORKS } from "./limits.ts";

/**
 * The networks of a client address, the smallest first, each with the factor by which its allowance exceeds that of
 * one client. The first one is `addressBucket` with the factor 1.
 */
export type Networks = Readonly<Record<string, number>>;

/** Returns the networks by which strangers are counted. An address that is not an IP address has only itself. */
export function networksOf(address: string): Networks {
  const client = [addressBucket(address), 1] as const;
  switch (isIP(address)) {
    case 4:
      return Object.fromEntries([
        client,
        ...IPV4_NETWORKS.map(([bits, factor]) => [ipv4Network(address, bits), factor]),
      ]);
    case 6:
      return Object.fromEntries([
        client,
        ...IPV6_NETWORKS.map(([bits, factor]) => [ipv6Network(address, bits), factor]),
      ]);
    default:
      return Object.fromEntries([client]);
  }
}

/** Returns those networks, the largest first, by which strangers take turns (`core/chain.ts`). */
export function networksDown(address: string): string[] {
  return Object.keys(networksOf(address)).reverse();
}

/** Returns the largest of those networks, for limits that do not grow with the network. */
export function largestNetworkOf(address: string): string {
  return networksDown(address)[0] as string;
}

/** Returns the network of an IPv4 address whose prefix has this many bits, a multiple of 8. */
function ipv4Network(address: string, bits: number): string {
  const octets = address.split(".").map((octet, i) => i < bits / 8 ? octet : "0");
  return `${octets.join(".")}/${bits}`;
}

/** Keys of the counters for an attempt on an account by a client. */
export interface ThrottleKeys {
  /** HMAC of the account's address, so that the counters of unknown accounts reveal no address. */
  readonly accountKey: string;
  readonly pairKey: string;
  readonly addressBucket: string;
  /** JSON text of `networksOf`. */
  readonly networks: string;
}

/** Returns the keys of a normalized e-mail address and a client address. */
export async function throttleKeys(
  secrets: Secrets,
  email: string,
  clientAddress: string,
): Promise<ThrottleKeys> {
  const [accountKey] = await secrets.macs("throttle", email);
  const bucket = addressBucket(clientAddress);
  const networks = JSON.stringify(networksOf(clientAddress));
  return { accountKey, pairKey: `${accountKey} ${bucket}`, addressBucket: bucket, networks };
}
