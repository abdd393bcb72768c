/** The part of hls.js that is used; its own types are for a larger build than this one. */
declare module 'hls.js/light' {
  export default class Hls {
    static readonly Events: { readonly ERROR: 'hlsError' };
    static readonly ErrorTypes: { readonly MEDIA_ERROR: 'mediaError' };
    constructor(options: { enableWorker: boolean });
    on(event: 'hlsError', listener: (event: string, error: { fatal: boolean; type: string }) => void): void;
    loadSource(url: string): void;
    attachMedia(video: HTMLVideoElement): void;
    recoverMediaError(): void;
    destroy(): void;
  }
}
