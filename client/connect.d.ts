/** Opens the web socket of the service, and shows the token in the upgrade. */
export declare function connect(url: string | URL, pass?: string): WebSocket;
