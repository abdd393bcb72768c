/** Name of the API for a person who signed in by the link that the service prints. */
export const BY_LINK = 'link of the start';
