/** The views of people and of accounts. */

import "./role.ts";
export { Account } from "./account/account.tsx";
export { Home } from "./home/home.tsx";
export { People } from "./people/people.tsx";
export { Person } from "./person/person.tsx";
