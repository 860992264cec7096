import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMailer, MailFailed } from '../../src/practices/mail/mailer.ts';
import { useFolder } from '../harness/fixtures.ts';
import { listen } from '../harness/free-port.ts';

const FROM = 'Paylinks <no-reply@pay.example.com>';
const MAIL = {
  to: 'admin@elm.example',
  subject: 'Webhook endpoint we_1 is failing',
  text: 'One\n.\nTwo\n',
  id: 'we_1.evt_1.10',
};

/** A mail server that answers each line as scripted and records what it received. */
async function mailServer(
  answers: Record<string, string> = {},
): Promise<{ url: string; heard: string[]; server: Server }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    let inData = false;
    socket.write('220 test\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        heard.push(line);
        if (inData && line !== '.') continue;
        const verb = inData ? 'END' : (line.split(' ')[0] ?? '').toUpperCase();
        inData = verb === 'DATA';
        socket.write(`${answers[verb] ?? (verb === 'DATA' ? '354 go on' : '250 ok')}\r\n`);
        if (verb === 'QUIT') socket.end();
      }
    });
  });
  return { url: `smtp://127.0.0.1:${await listen(server)}`, heard, server };
}

describe('mailer', () => {
  const outbox = join(useFolder('mails'), 'deep', 'outbox');

  it('without SMTP_URL each mail becomes an .eml file, readable by its owner only, in a folder that is created', async () => {
    const mailer = createMailer({ smtpUrl: null, from: FROM, outbox });
    // A repeated mail replaces its file.
    for (const id of [MAIL.id, 'we_1.evt_2.15', MAIL.id]) await mailer.send({ ...MAIL, id });
    expect(readdirSync(outbox).sort()).to.deep.equal(['we_1.evt_1.10.eml', 'we_1.evt_2.15.eml']);
    const file = join(outbox, 'we_1.evt_1.10.eml');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).to.include(`From: ${FROM}\r\n`);
    expect(text).to.include('To: admin@elm.example\r\n');
    expect(text).to.include('Subject: Webhook endpoint we_1 is failing\r\n');
    expect(text).to.include('Message-ID: <we_1.evt_1.10@pay.example.com>\r\n');
    expect(text).to.match(/\r\n\r\nOne\r\n\.\r\nTwo\r\n$/);
  });

  it('a file that cannot be finished fails the mail, and leaves nothing behind', async () => {
    // A folder in place of the file: like a full disk, it fails a step after the first byte was written.
    mkdirSync(join(outbox, 'we_1.evt_3.10.eml', 'x'), { recursive: true });
    const before = readdirSync(outbox);
    const mailer = createMailer({ smtpUrl: null, from: FROM, outbox });
    const failure = await mailer.send({ ...MAIL, id: 'we_1.evt_3.10' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(readdirSync(outbox)).to.deep.equal(before);
  });

  it('a file has the text as it is: a long address in one line, and letters beyond ASCII', async () => {
    const address = `https://pay.example.com/console/sign-in/${'A1b2-_'.repeat(20)}`;
    const text = `Sesión de Müller:\n\n${address}\n`;
    await createMailer({ smtpUrl: null, from: FROM, outbox }).send({ ...MAIL, text });
    const file = readFileSync(join(outbox, 'we_1.evt_1.10.eml'), 'utf8');
    expect(file).to.match(/^Content-Transfer-Encoding: 8bit\r$/m);
    expect(file.endsWith(`\r\n\r\n${text.replaceAll('\n', '\r\n')}`)).to.equal(true);
  });

  it('a file of a mail with HTML has both parts as they are, the text first', async () => {
    const [text, html] = [
      `Señor\n${'a1='.repeat(60)}\n`,
      `<p>Señor</p>\n<a href="https://x.example/?${'a=1&'.repeat(60)}">x</a>\n`,
    ];
    await createMailer({ smtpUrl: null, from: FROM, outbox }).send({ ...MAIL, text, html });
    const file = readFileSync(join(outbox, 'we_1.evt_1.10.eml'), 'utf8');
    const [, boundary = ''] = /^Content-Type: multipart\/alternative;\r\n boundary="(.+)"\r$/m.exec(file) ?? [];
    const [, ...parts] = file.split(`\r\n--${boundary}`);
    const contents = parts.slice(0, 2).map((part) => part.slice(part.indexOf('\r\n\r\n') + 4));
    expect(contents).to.deep.equal([text, html].map((content) => content.replaceAll('\n', '\r\n')));
    expect(parts.map((part) => /text\/\w+/.exec(part)?.[0] ?? part)).to.deep.equal([
      'text/plain',
      'text/html',
      '--\r\n',
    ]);
  });

  it('a mail goes to the server of SMTP_URL, with the same Message-ID at every try', async () => {
    const { url, heard, server } = await mailServer();
    const mailer = createMailer({ smtpUrl: url, from: FROM, outbox });
    await mailer.send(MAIL);
    await mailer.send(MAIL);
    server.close();
    expect(heard).to.include('MAIL FROM:<no-reply@pay.example.com>').and.include('RCPT TO:<admin@elm.example>');
    const ids = heard.filter((line) => line.startsWith('Message-ID:'));
    expect(ids).to.deep.equal(Array(2).fill('Message-ID: <we_1.evt_1.10@pay.example.com>'));
  });

  it('an address with a comma or a line break adds no recipient and no header', async () => {
    const { url, heard, server } = await mailServer();
    const mailer = createMailer({ smtpUrl: url, from: FROM, outbox });
    await mailer.send({ ...MAIL, to: 'a@elm.example,b@elm.example\r\nBcc: c@elm.example' }).catch(() => undefined);
    server.close();
    expect(heard.filter((line) => line.startsWith('RCPT TO')).length).to.be.at.most(1);
    expect(heard.filter((line) => /^bcc/i.test(line))).to.deep.equal([]);
  });

  for (const [verb, answer] of [
    ['RCPT', '550 no such user admin@elm.example'],
    ['END', '451 later, admin@elm.example'],
  ] as const) {
    it(`an answer "${answer.slice(0, 9)}…" fails without repeating the address`, async () => {
      const { url, server } = await mailServer({ [verb]: answer });
      const mailer = createMailer({ smtpUrl: url, from: FROM, outbox });
      const error = await mailer.send(MAIL).catch((reason) => reason);
      server.close();
      expect(error).to.be.instanceOf(MailFailed);
      expect(`${error.stack}${JSON.stringify(error)}`).to.not.include('admin');
      expect(error.message).to.include(answer.slice(0, 3));
    });
  }

  it('the mailer ends the connection to a server that is silent, or never ends its answer, ten seconds after the start', async () => {
    // A loaded machine gets five seconds more. A worker has 17 to stop.
    const late = new Promise<string>((resolve) => setTimeout(resolve, 15_000, 'late').unref());
    const endings = [
      ['', ''],
      ['220 test\r\n', '250-still here\r\n'],
    ].map(async ([greeting = '', drip = '']) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket.on('error', () => undefined));
        socket.write(greeting);
      });
      const smtpUrl = `smtp://127.0.0.1:${await listen(server)}`;
      const dripping = setInterval(() => {
        for (const socket of sockets) if (!socket.destroyed) socket.write(drip);
      }, 500);
      const mailer = createMailer({ smtpUrl, from: FROM, outbox });
      const error = await Promise.race([mailer.send(MAIL).catch((reason) => reason), late]);
      clearInterval(dripping);
      for (const socket of sockets) socket.destroy();
      server.close();
      return error;
    });
    for (const error of await Promise.all(endings)) {
      expect(error).to.be.instanceOf(MailFailed);
      expect(error.message).to.include('ETIMEDOUT');
    }
  });

  it('the mailer fails when the server refuses the connection', async () => {
    const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: FROM, outbox });
    const error = await mailer.send(MAIL).catch((reason) => reason);
    expect(error).to.be.instanceOf(MailFailed);
    expect(error.message).to.match(/ESOCKET|ECONNREFUSED|ECONNECTION/);
  });
});
