import type net from 'node:net';

/** Limits of the interim replies to one request. A few are normal (100, 103); an endless series is an attack. */
const MAX_REPLIES = 10;
const MAX_BYTES = 16_384;

/** Beginning of an interim reply. 101 is none: it ends HTTP. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const INTERIM_LENGTH = 'HTTP/1.1 100 '.length;

/** Matches what may become the beginning of an interim reply. */
const PARTIAL = /^(?:H(?:T(?:T(?:P(?:\/(?:1(?:\.(?:[01](?: (?:1(?:\d\d?)?)?)?)?)?)?)?)?)?)?)?$/;

const END = '\r\n\r\n';

/**
 * Hides interim replies (RFC 9110, section 15.2) from the reader of this socket, because undici takes a 100 for an
 * error. Returns the function that ends this.
 * @param onBegin called with the first bytes
 * @param onExcess called when the interim replies are too many or too large
 */
export function skipInterimReplies(socket: net.Socket, onBegin: () => void, onExcess: () => void): () => void {
  const { read } = socket;
  let head = Buffer.alloc(0);
  let replies = 0;
  let bytes = 0;
  let isOver = false;

  /** Returns the bytes for the reader: none while an interim reply may follow. */
  function rest(chunk: Buffer): Buffer {
    head = Buffer.concat([head, chunk]);
    for (;;) {
      const start = head.toString('latin1', 0, INTERIM_LENGTH);
      if (!INTERIM.test(start)) {
        isOver = !PARTIAL.test(start);
        return isOver ? head : Buffer.alloc(0);
      }
      const end = head.indexOf(END);
      const length = end < 0 ? head.length : end + END.length;
      if (bytes + length > MAX_BYTES || replies === MAX_REPLIES) {
        isOver = true;
        onExcess();
        return Buffer.alloc(0);
      }
      if (end < 0) return Buffer.alloc(0);
      replies += 1;
      bytes += length;
      head = head.subarray(length);
    }
  }

  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null || isOver) return chunk;
      onBegin();
      const shown = rest(chunk);
      if (shown.length > 0) return shown;
    }
  };
  return () => {
    socket.read = read;
  };
}
