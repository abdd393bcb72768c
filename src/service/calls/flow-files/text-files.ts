/**
 * Text files below a directory, read and written as UTF-8 bytes. Neighbours: `flow-files.ts` and `test-files.ts`
 * interpret them.
 *
 * Invariants
 *  - Nothing outside the directory is read or written: no `..`, no absolute path, no symbolic link that leads out.
 *  - A file has its old or its new content, never a part of it (`atomic-write.ts`).
 *  - Content is bounded and valid UTF-8, so that a text converts back to the same bytes.
 */
import { lstat, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nameBelow, pathBelow, resolvesBelow } from '../../../base/core/data-path.ts';
import { systemWriteError } from '../../../base/core/write-error.ts';
import { DOCUMENT_LIMITS } from '../../../base/schema/document.ts';
import { isInside, leadsInside } from '../../../language/flow/path-containment.ts';
import { CallError } from '../call-error.ts';
import { etagOf, replaceFile } from './atomic-write.ts';
import { type PlannedWrite, writeTogether } from './write-together.ts';

export interface TextFile {
  /** Relative to the directory, with `/`. */
  file: string;
  text: string;
  etag: string;
  /** Reason why the file's text is not available: too large, or not UTF-8. */
  problem?: string;
}

export interface NewText {
  file: string;
  text: string;
  /** Etag of the old content. Undefined for a new file. */
  before?: string | undefined;
}

export type TextFiles = ReturnType<typeof createTextFiles>;

const NEW_FILE_MODE = 0o644;

/** `directory` is absolute, and need not exist yet. */
export function createTextFiles(directory: string) {
  const known = new Map<string, { stamp: string; read: TextFile }>();
  let writing: Promise<unknown> = Promise.resolve();

  const pathOf = (file: string): string => {
    const path = pathBelow(directory, file);
    if (path === undefined) throw new CallError('unknown_setting', 'there is no such file');
    return path;
  };

  /**
   * Undefined if the file does not exist, is not a regular file, or resolves outside the directory. Cached until it
   * changes.
   */
  const read = async (file: string): Promise<TextFile | undefined> => {
    const path = pathOf(file);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile() || !leadsInside(path, directory)) {
      known.delete(file);
      return undefined;
    }
    const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
    const before = known.get(file);
    if (before?.stamp === stamp) return before.read;
    const made = { file, ...(await textOf(path, stats.size)) };
    known.set(file, { stamp, read: made });
    return made;
  };

  /** Refuses symbolic links: the write would replace the link by a file. */
  const mayWrite = async (path: string): Promise<void> => {
    const found = await resolvesBelow(directory, path);
    if (found === false) throw new CallError('read_only', 'symbolic links cannot be written');
  };

  /** Path and mode of a file that will be written. Makes its folder. */
  const prepare = async (file: string): Promise<Pick<PlannedWrite, 'path' | 'mode'>> => {
    const path = pathOf(file);
    await mkdir(dirname(path), { recursive: true });
    await mayWrite(path);
    const mode = await lstat(path).then(
      (stats) => stats.mode & 0o777,
      () => NEW_FILE_MODE,
    );
    return { path, mode };
  };

  /** Creates or replaces the file. Without `before`, the etag of its old content, it must not exist. */
  const write = async ({ file, text, before }: NewText): Promise<TextFile> => {
    const bytes = Buffer.from(checkedText(text));
    await written(async () => {
      const { path, mode } = await prepare(file);
      await replaceFile(path, bytes, mode, before === undefined);
    });
    known.delete(file);
    return { file, text, etag: etagOf(bytes) };
  };

  return {
    read,
    /** Serialises writers: between the reads and writes of `work` no other writer of this process runs. */
    inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      const next = writing.then(work, work);
      writing = next.catch(() => undefined);
      return next;
    },
    write,
    /** Creates or replaces several files, all or none. */
    async writeTogether(texts: readonly NewText[]): Promise<TextFile[]> {
      if (texts.length === 1) return [await write(texts[0]!)];
      const bytes = texts.map(({ text }) => Buffer.from(checkedText(text)));
      await written(async () => {
        const writes: PlannedWrite[] = [];
        for (const [index, { file, before }] of texts.entries())
          writes.push({ ...(await prepare(file)), bytes: bytes[index]!, ...(before !== undefined && { before }) });
        await writeTogether(directory, writes);
      });
      for (const { file } of texts) known.delete(file);
      return texts.map(({ file, text }, index) => ({ file, text, etag: etagOf(bytes[index]!) }));
    },
    async remove(file: string): Promise<void> {
      const path = pathOf(file);
      try {
        await mayWrite(path);
        await rm(path, { force: true });
      } catch (error) {
        throw systemWriteError(error) ?? error;
      }
      known.delete(file);
    },
    /** Relative name of an absolute path. Undefined outside the directory. */
    nameOf: (path: string): string | undefined => (isInside(path, directory) ? nameBelow(directory, path) : undefined),
    pathOf,
  };
}

async function written(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CallError('changed_meanwhile', 'the file was created meanwhile');
    throw systemWriteError(error) ?? error;
  }
}

/** Throws if the text is too large, or does not survive the conversion to bytes and back. */
export function checkedText(text: string): string {
  if (!text.isWellFormed()) throw new CallError('text_malformed', 'the text has half a character (a lone surrogate)');
  if (Buffer.byteLength(text) > DOCUMENT_LIMITS.bytes)
    throw new CallError('text_too_large', `the text is larger than ${DOCUMENT_LIMITS.bytes} bytes`);
  return text;
}

async function textOf(path: string, size: number): Promise<Omit<TextFile, 'file'>> {
  const tooLarge = `the file is larger than ${DOCUMENT_LIMITS.bytes} bytes`;
  if (size > DOCUMENT_LIMITS.bytes) return { text: '', etag: etagOf(`${path} ${size}`), problem: tooLarge };
  const bytes = await readFile(path);
  const etag = etagOf(bytes);
  try {
    // A byte order mark is part of the text, so that every byte is preserved.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), etag };
  } catch {
    return { text: '', etag, problem: 'the file is not valid UTF-8' };
  }
}
