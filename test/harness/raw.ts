import { connect } from 'node:net';

/** An answer read off the socket, until the server closed it. */
export interface RawAnswer {
  /** Null when the server closed without an answer. */
  status: number | null;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** Everything, for cases with more than one answer. */
  text: string;
}

/**
 * Sends bytes that no HTTP client would, and reads until the server closes. Ask for `Connection: close` where the
 * request is good enough to be kept alive.
 */
export function sendRaw(baseUrl: string, request: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that has answered may reset what is still being sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))));
  });
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: status === undefined ? null : Number(status),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
    text,
  };
}
