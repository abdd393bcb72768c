/** True on devices whose keyboards have ⌘ instead of Ctrl. */
export const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
