import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

/** A mail, as received by the server. */
export interface ReceivedMail {
  readonly envelopeFrom: string;
  readonly envelopeTo: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  /** How the client introduced itself. */
  readonly clientName: string;
  readonly email: Email;
}

/** A real SMTP server on this machine. Disposing of it closes it. */
export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly received: ReceivedMail[];
}

const CLOSE_LIMIT_MS = 10_000;

export interface TestSmtpOptions {
  readonly port?: number;
  /** Required credentials. */
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The status with which it refuses recipients. */
  readonly recipientStatus?: number;
  /** The status with which it refuses the content. */
  readonly contentStatus?: number;
  readonly offersTls?: boolean;
}

export async function startSmtpServer(options: TestSmtpOptions = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer(serverOptions(options, received));
  // A client may disconnect at any time.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose](): Promise<void> {
      // The server waits for its connections with a timer that does not keep the process alive.
      const alive = setTimeout(() => {}, CLOSE_LIMIT_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(alive);
    },
  };
}

function serverOptions(options: TestSmtpOptions, received: ReceivedMail[]): SMTPServerOptions {
  const { auth, recipientStatus, contentStatus, offersTls = false } = options;
  const disabledCommands = [...(offersTls ? [] : ["STARTTLS"]), ...(auth === undefined ? ["AUTH"] : [])];
  return {
    disabledCommands,
    authOptional: auth === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      if (username === auth?.user && password === auth?.pass) done(null, { user: username });
      else done(refusal(535));
    },
    onRcptTo: (_address, _session, done) =>
      done(recipientStatus === undefined ? null : refusal(recipientStatus)),
    onData: (stream, session, done) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        if (contentStatus !== undefined) return done(refusal(contentStatus));
        received.push(await readMail(new Blob(chunks as Uint8Array<ArrayBuffer>[]), session));
        done();
      });
    },
  };
}

async function readMail(source: Blob, session: SMTPServerSession): Promise<ReceivedMail> {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    envelopeFrom: mailFrom === false ? "" : mailFrom.address,
    envelopeTo: rcptTo.map(({ address }) => address),
    user: session.user as string | undefined,
    secure: session.secure,
    clientName: session.hostNameAppearsAs,
    email: await PostalMime.parse(await source.arrayBuffer()),
  };
}

function refusal(responseCode: number): Error & { responseCode: number } {
  return Object.assign(new Error("not for somebody@b.example"), { responseCode });
}
