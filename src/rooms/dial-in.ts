/** How telephones reach rooms, as the configuration says: shown to applications, which show it to people. */
export interface DialIn {
  numbers: readonly DialInNumber[];
  /** For SIP phones; an empty text where there is nothing to say. */
  serverUrl: string;
  username: string;
  password: string;
  /** Where SIP and RTP come from, for firewalls. */
  sigServers: readonly string[];
  mediaServers: readonly string[];
}

export interface DialInNumber {
  country: string;
  countryCode: string;
  phone: string;
  /** False: callers pay nothing. */
  toll: boolean;
}
