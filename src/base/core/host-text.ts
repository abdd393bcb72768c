/** The host as written in a URI, a Via or before a port: IPv6 literals in brackets. */
export const hostText = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The host with its port. */
export const hostPortText = ({ host, port }: { host: string; port: number }): string => `${hostText(host)}:${port}`;
