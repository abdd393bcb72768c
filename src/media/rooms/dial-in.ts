/** Dial-in of rooms by phone, from the configuration. Applications show it to participants. */
export interface DialIn {
  numbers: readonly DialInNumber[];
  /** SIP address for SIP phones; empty if there is none. */
  serverUrl: string;
  username: string;
  password: string;
  /** Source addresses of SIP and of RTP, for firewalls. */
  sigServers: readonly string[];
  mediaServers: readonly string[];
}

export interface DialInNumber {
  country: string;
  countryCode: string;
  phone: string;
  /** True if the caller pays for the call. */
  toll: boolean;
}
