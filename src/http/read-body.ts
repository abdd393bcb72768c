/** Reads what others send, and never more of it than is good for us. */

/** The text of a stream; undefined when it is longer than `maxBytes`, of which no more is read then. */
export async function readBody(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop destroys the stream, and its connection with it.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
