export interface LoginExample {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Name of a role that the user can see. */
  readonly roleName: string;
}

/** Returns shell lines that log in, get an access token and query a role, ready to paste. */
export function curlLines({ url, username, password, roleName }: LoginExample): string[] {
  const login = quote(JSON.stringify({ username, password }));
  const query = quote(JSON.stringify({ filter: { name: [roleName] } }));
  const json = "-H 'Content-Type: application/json'";
  return [
    `REFRESH=$(curl -s ${url}/auth/login ${json} -d ${login})`,
    `ACCESS=$(curl -s ${url}/auth/accesstoken -H "Authorization: Bearer $REFRESH")`,
    `curl -s ${url}/v1/role/query -H "Authorization: Bearer $ACCESS" ${json} -d ${query}`,
  ];
}

/** Quotes a text as one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
