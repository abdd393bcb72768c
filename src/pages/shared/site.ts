/**
 * Serves a page at all its paths, and its files. A plain HTTP handler that the API mounts.
 *
 * Invariants
 * - the page loads nothing from other origins, and runs no script except its own files (Content-Security-Policy);
 * - URLs are relative, so that a proxy can serve the page below any path;
 * - file names contain a hash of the content, so files never change; the page itself is never cached;
 * - if the files cannot be built, the page shows the reason, and the rest of the service is not affected.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AssetsError, type PageAssets } from './assets.ts';
import type { BuiltAssets } from './built-assets.ts';
import type { Page } from './page.ts';

export type SiteHandler = (req: IncomingMessage, res: ServerResponse) => Promise<undefined>;

const FILE = /^\/assets\/([A-Za-z0-9._-]+)$/;

/** `failed` is called with the reason whenever the files cannot be built. */
export function createSite(page: Page, assets: PageAssets, failed: (why: string) => void): SiteHandler {
  return async (req, res) => {
    res.setHeader('x-content-type-options', 'nosniff');
    res.setHeader('referrer-policy', 'no-referrer');
    res.setHeader('cross-origin-opener-policy', 'same-origin');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return send(req, res, 405, 'text/plain; charset=utf-8', 'use GET');
    }
    const path = (req.url ?? '/').split('?')[0]!;
    try {
      const built = await assets.get();
      const name = FILE.exec(path)?.[1];
      if (name === undefined) return sendPage(req, res, page, built, { folder: assetsFrom(req, page), path });
      return sendFile(req, res, built, name);
    } catch (error) {
      if (!(error instanceof AssetsError)) throw error;
      failed(error.message);
      const text = `The ${page.name} cannot be made: ${error.message}\nCalls and the API are not affected.\n`;
      return send(req, res, 503, 'text/plain; charset=utf-8', text);
    }
  };
}

function sendFile(req: IncomingMessage, res: ServerResponse, { files }: BuiltAssets, name: string): undefined {
  const file = files.find((each) => each.name === name);
  if (file === undefined) return send(req, res, 404, 'text/plain; charset=utf-8', 'there is no such file');
  const accepted = String(req.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  if (encoding !== undefined) res.setHeader('content-encoding', encoding);
  res.setHeader('vary', 'Accept-Encoding');
  res.setHeader('cache-control', 'public, max-age=31536000, immutable');
  send(req, res, 200, file.type, encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzip : file.plain);
}

/** Path of the files, relative to the URL of this request. */
function assetsFrom(req: IncomingMessage & { originalUrl?: string }, { base }: Page): string {
  const path = (req.originalUrl ?? req.url ?? '/').split('?')[0]!;
  const below = path.slice(base.length);
  return below === '' ? `${base.slice(1)}/assets/` : `${'../'.repeat(below.split('/').length - 2)}assets/`;
}

/** The nonce is for styles that the text editor adds at run time. */
function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  { title, withoutScript, frames }: Page,
  { script, style, laterStyle, preloads = [], screens = {} }: BuiltAssets,
  { folder, path }: { folder: string; path: string },
): undefined {
  const nonce = randomBytes(18).toString('base64');
  res.setHeader('content-security-policy', policyOf(nonce, frames));
  res.setHeader('cache-control', 'no-store');
  const styles = style === undefined ? '' : `<link rel="stylesheet" href="${folder}${style}">`;
  const early = preloads.map((name) => `<link rel="modulepreload" href="${folder}${name}">`).join('\n');
  const screen = Object.keys(screens).find((pattern) => new RegExp(pattern).test(path));
  const later = [
    laterStyle && `<meta name="later-style" content="${laterStyle}">`,
    screen && `<meta name="screen-scripts" content="${screens[screen]!.join(' ')}">`,
  ].filter(Boolean);
  send(
    req,
    res,
    200,
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csp-nonce" content="${nonce}">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
${later.join('\n')}
${styles}
<script type="module" src="${folder}${script}"></script>
${early}
</head>
<body>
<div id="app"></div>
<noscript>${withoutScript}</noscript>
</body>
</html>
`,
  );
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d58d8"/><path d="M7 11h6l6 10h6M7 21h6l2-3.300M19 11h6" fill="none" stroke="#fff" stroke-width="2.600" stroke-linecap="round" stroke-linejoin="round"/></svg>';

const policyOf = (nonce: string, frames: Page['frames']): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    `frame-src ${frames === 'shows' ? "'self'" : "'none'"}`,
    `frame-ancestors ${frames === 'is shown' ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');

function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
): undefined {
  res.statusCode = status;
  res.setHeader('content-type', type);
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(req.method === 'HEAD' ? undefined : body);
}
