/**
 * The text files below a directory, read and written as bytes that are text. Neighbours: `flow-files.ts` and `test-files.ts`
 * know what is in them.
 *
 * Invariants
 *  - nothing outside the directory is read or written: no `..`, no absolute path, no link that leads out;
 *  - a file is the old one or the new one, never a part (`part-files.ts`);
 *  - what is read or written is bounded, and valid UTF-8: a text gives its bytes back.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nameBelow, pathBelow, resolvesBelow } from '../../core/data-path.ts';
import { systemWriteError } from '../../core/write-error.ts';
import { isInside, leadsInside } from '../../flow/contained-files.ts';
import { DOCUMENT_LIMITS } from '../../schema/document.ts';
import { CallError } from '../call-error.ts';
import { replaceFile } from './part-files.ts';

export interface TextFile {
  /** Below the directory, with `/`. */
  file: string;
  text: string;
  etag: string;
  /** Why the text is not that of the file: too large, or not UTF-8. */
  problem?: string;
}

/** Of bytes, as `ETag` has it between its quotes. */
export const etagOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export type TextFiles = ReturnType<typeof createTextFiles>;

const NEW_FILE_MODE = 0o644;

/** `directory` is absolute; it may not be there yet. */
export function createTextFiles(directory: string) {
  const known = new Map<string, { stamp: string; read: TextFile }>();
  let writing: Promise<unknown> = Promise.resolve();

  const pathOf = (file: string): string => {
    const path = pathBelow(directory, file);
    if (path === undefined) throw new CallError('unknown_setting', 'there is no such file');
    return path;
  };

  /** Undefined: it is not there, is not a file, or leads out of the directory. Read again only when it has changed. */
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

  /** A link would be a file after it was written. */
  const mayWrite = async (path: string): Promise<void> => {
    const found = await resolvesBelow(directory, path);
    if (found === false) throw new CallError('read_only', 'a link, or what lies behind one, is not written to');
  };

  return {
    read,
    /** One writer at a time: between what `work` reads and writes nobody else of us writes. */
    oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
      const next = writing.then(work, work);
      writing = next.catch(() => undefined);
      return next;
    },
    /** Makes it, or replaces it; `isNew`: it must not be there. */
    async write(file: string, text: string, { isNew }: { isNew: boolean }): Promise<TextFile> {
      const path = pathOf(file);
      const bytes = Buffer.from(checkedText(text));
      try {
        await mkdir(dirname(path), { recursive: true });
        await mayWrite(path);
        const mode = await lstat(path).then(
          (stats) => stats.mode & 0o777,
          () => NEW_FILE_MODE,
        );
        await replaceFile(path, bytes, mode, isNew);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST')
          throw new CallError('changed_meanwhile', 'somebody else has made it');
        throw systemWriteError(error) ?? error;
      }
      known.delete(file);
      return { file, text, etag: etagOf(bytes) };
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
    /** Of an absolute path: how a file is called here; undefined for one that is elsewhere. */
    nameOf: (path: string): string | undefined => (isInside(path, directory) ? nameBelow(directory, path) : undefined),
    pathOf,
  };
}

/** Throws for what a file could not give back, or is too large. */
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
    // The mark at the beginning is a part of the text, as every other byte is.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), etag };
  } catch {
    return { text: '', etag, problem: 'the file is not valid UTF-8' };
  }
}
