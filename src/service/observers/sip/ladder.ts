/** SIP messages of a call as text: a ladder diagram with one line per message, followed by the full messages. */
import { decodeText } from '../../../base/core/byte-text.ts';
import { escapeControls } from '../../../base/core/control-characters.ts';
import { secondsColumn } from '../../../base/core/duration.ts';
import { hostPortText } from '../../../base/core/host-text.ts';
import type { CapturedSip } from '../../../base/core/sip-capture.ts';

export function ladderLines(messages: readonly CapturedSip[]): string[] {
  const startedMs = messages[0]?.atMs ?? 0;
  const remotes = messages.map(({ remote }) => hostPortText(remote).length);
  const width = Math.max(0, ...remotes);
  return messages.map((message) => {
    const arrow = message.direction === 'received' ? '──▶' : '◀──';
    const remote = hostPortText(message.remote).padEnd(width);
    return escapeControls(
      `${secondsColumn(message.atMs - startedMs)}  ${message.transport}  ${remote} ${arrow} ${hostPortText(message.local)}  ${briefOf(message)}`,
    );
  });
}

/** Each message with a line of time, source and destination. */
export function messageLines(messages: readonly CapturedSip[]): string[] {
  const startedMs = messages[0]?.atMs ?? 0;
  return messages.flatMap((message, index) => {
    const way = message.direction === 'received' ? 'from' : 'to';
    const head = `#${index + 1}${secondsColumn(message.atMs - startedMs)}  ${message.direction} by ${message.transport} ${way} ${hostPortText(message.remote)}`;
    return ['', head, ...decodeText(message.text).trimEnd().split(/\r?\n/)].map(escapeControls);
  });
}

/** `INVITE sip:100@example`, `200 OK (INVITE)`, and `, SDP` if there is one. */
function briefOf(message: CapturedSip): string {
  const text = decodeText(message.text);
  const [first = ''] = text.split(/\r?\n/, 1);
  const status = /^SIP\/2\.0 (\d{3}.*)$/.exec(first)?.[1];
  const method = /^CSeq[ \t]*:[ \t]*\d+[ \t]+(\S+)/im.exec(text)?.[1] ?? '';
  const said = status === undefined ? first.replace(/ SIP\/2\.0$/, '') : `${status} (${method})`;
  return /^v=0\r?$/m.test(text) ? `${said}, SDP` : said;
}
