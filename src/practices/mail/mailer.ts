import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Mail {
  to: string;
  subject: string;
  /** Complete on its own. */
  text: string;
  /** The same as HTML, which loads nothing. Without it, the mail is plain text. */
  html?: string;
  /** Letters, digits, `_`, `.` and `-`. The same for every try. It is the left side of the Message-ID. */
  id: string;
}

export interface Mailer {
  /** Hands a mail over. A repeated mail has the same Message-ID, by which receivers recognize it. @throws MailFailed */
  send(mail: Mail): Promise<void>;
}

/** The message names the server's code and never an address. */
export class MailFailed extends Error {
  constructor(reason: string) {
    super(`the mail could not be handed over (${reason}); check SMTP_URL and the mail server`);
    this.name = 'MailFailed';
  }
}

interface MailerOptions {
  /** `smtp://` or `smtps://`; null writes each mail to a file instead. */
  smtpUrl: string | null;
  /** `Name <address>`, or the address alone. */
  from: string;
  /** Folder for `.eml` files, unused with SMTP. */
  outbox: string;
}

/** Limit from the look-up of the server's name to its last answer. A job must end, so that a worker can stop. */
const SMTP_TIMEOUT_MS = 10_000;

/** Mails contain our text only. Forbids nodemailer to read files or URLs that a mail names. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true };

/** Creates the mailer of a worker. Mails are rare, so the library is loaded with the first one, and each has its own connection. */
export function createMailer(options: MailerOptions): Mailer {
  const deliver = options.smtpUrl === null ? writeToOutbox(options.outbox) : sendToServer(options.smtpUrl);
  const domain = /@([^@<>\s]+?)>?$/.exec(options.from)?.[1] ?? 'localhost';
  return {
    async send({ to, id, ...contents }) {
      const messageId = `<${id}@${domain}>`;
      // An object, so that commas and angle brackets in the address cannot add a recipient.
      const recipient = { name: '', address: to };
      await deliver({ from: options.from, to: recipient, ...contents, messageId, ...CLOSED }, id);
    },
  };
}

type Contents = Pick<Mail, 'subject' | 'text' | 'html'>;

type Message = Contents & { to: { name: string; address: string } } & Record<'from' | 'messageId', string>;

function sendToServer(smtpUrl: string): (message: Message) => Promise<void> {
  return async (message) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ url: smtpUrl });
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), SMTP_TIMEOUT_MS);
    try {
      await transport.sendMail({ ...message, signal: timeout.signal });
    } catch (error) {
      throw new MailFailed(timeout.signal.aborted ? 'ETIMEDOUT' : describeFailure(error));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Writes one file per mail, named by its id. A second try replaces the file of the first. */
function writeToOutbox(folder: string): (message: Message, id: string) => Promise<void> {
  return async (message, id) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message: bytes } = await transport.sendMail(message);
    const content = withPlainParts(bytes.toString(), message);
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${id}.eml`);
    // Renaming makes the file appear complete.
    const unfinished = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(unfinished, content, { mode: 0o600 });
      await rename(unfinished, path);
    } catch (error) {
      // Each try has a separate file, and a full disk must not keep them all.
      await rm(unfinished, { force: true });
      throw error;
    }
  };
}

/** Returns a mail with its texts as they are, for people and tests. Over SMTP they are encoded, because servers may refuse long lines. */
function withPlainParts(mail: string, { text, html }: Contents): string {
  const [headers = ''] = mail.split('\r\n\r\n', 1);
  const lines = (content: string) => content.replaceAll(/\r?\n/g, '\r\n');
  if (html === undefined) return `${headers.replace(ENCODING, PLAIN)}\r\n\r\n${lines(text)}`;
  const boundary = /boundary="(.+)"/.exec(headers)?.[1];
  const parts = Object.entries({ plain: text, html }).map(
    ([type, content]) =>
      `--${boundary}\r\nContent-Type: text/${type}; charset=utf-8\r\n${PLAIN}\r\n\r\n${lines(content)}\r\n`,
  );
  return `${headers}\r\n\r\n${parts.join('')}--${boundary}--\r\n`;
}

const ENCODING = /^Content-Transfer-Encoding: .*$/m;
const PLAIN = 'Content-Transfer-Encoding: 8bit';

/** Returns the error's codes only, because the server's text may repeat the address. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.name;
  const reply = 'responseCode' in error && typeof error.responseCode === 'number' ? ` ${error.responseCode}` : '';
  return `${code}${reply}`;
}
