/**
 * Text of a response body: decompressed (RFC 9110 §8.4.1), decoded, without a byte order mark. Some servers compress
 * without a request for it, and name their own character sets.
 *
 * Invariant: the decompressed size has the same limit as the body, so that a small body cannot become a large one.
 */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';

export type BodyText = { text: string } | { wrong: 'too_large' | 'encoding' | 'charset'; message: string };

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Decoder = (body: Buffer, options: ZlibOptions) => Promise<Buffer>;

const [unzip, undeflate, undeflateRaw, unbrotli] = [gunzip, inflate, inflateRaw, brotliDecompress].map((decode) =>
  promisify(decode as (body: Buffer, options: ZlibOptions, done: (error: Error | null, made: Buffer) => void) => void),
) as [Decoder, Decoder, Decoder, Decoder];

const DECODERS: Readonly<Record<string, readonly Decoder[]>> = {
  gzip: [unzip],
  'x-gzip': [unzip],
  // Many servers send the raw stream (RFC 9110 §8.4.1.2).
  deflate: [undeflate, undeflateRaw],
  br: [unbrotli],
};

/**
 * Decodes a body. Without a `charset`, text that is not UTF-8 is refused if `isStrict`; otherwise invalid bytes become
 * replacement characters.
 */
export async function bodyText(
  body: Buffer,
  headers: Headers,
  { maxBytes, isStrict = false }: { maxBytes: number; isStrict?: boolean },
): Promise<BodyText> {
  const encoding = [headers['content-encoding'] ?? ''].flat().join(',').trim().toLowerCase();
  const plain = encoding === '' || encoding === 'identity' ? body : await decompressed(body, encoding, maxBytes);
  if (!Buffer.isBuffer(plain)) return plain;
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec([headers['content-type'] ?? ''].flat()[0] ?? '') ?? [];
  try {
    return { text: new TextDecoder(charset, { fatal: isStrict }).decode(plain) };
  } catch (error) {
    if (error instanceof RangeError) return { text: plain.toString('utf8').replace(/^\ufeff/, '') };
    return { wrong: 'charset', message: `the answer is not ${charset}` };
  }
}

async function decompressed(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer | BodyText> {
  const decoders = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]! : [];
  for (const decode of decoders) {
    try {
      return await decode(body, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        return { wrong: 'too_large', message: `more than ${maxBytes} bytes after ${encoding}` };
    }
  }
  const named = encoding.slice(0, 40);
  const message = decoders.length === 0 ? `is not read` : `it says and is not`;
  return { wrong: 'encoding', message: `the answer has the content encoding ${named}, which ${message}` };
}
