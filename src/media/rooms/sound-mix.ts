/** Returns an ffmpeg filter graph that mixes the inputs. The caller appends the output label. Gaps become silence. */
export function mixOf(inputs: readonly string[]): string {
  const each = inputs.map((input, index) => `[${input}]aresample=48000:async=1:first_pts=0[a${index}]`);
  const all = inputs.map((_, index) => `[a${index}]`).join('');
  const mix = inputs.length === 1 ? 'anull' : `amix=inputs=${inputs.length}:normalize=0:dropout_transition=0`;
  return `${each.join(';\n')};\n${all}${mix},alimiter=limit=0.95:level=false`;
}
