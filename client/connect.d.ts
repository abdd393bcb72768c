/** Opens the WebSocket to the service, and presents the token in the upgrade. */
export declare function connect(url: string | URL, pass?: string): WebSocket;
