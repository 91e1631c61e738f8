/** Bounds of the statements of insight and AuthZEN; see `declared.ts`. */
export const EXPLAIN_BOUNDS: Readonly<Record<string, string>> = {
  change_log_queries: "20",
  "change_log_queries CHANGE_PAGES.all": "30 + 32 walk",
  "change_log_queries CHANGE_PAGES.role": "70 + 2 memberships + 4 few + 7 walk",
  "evaluation_queries DECIDE":
    "200 + 4 memberships + 25 list + 2 list x few + 2 list x shorter + 16 ancestors + 8 list x monitors",
  "evaluation_queries DECIDE_OWN": "40 + 9 memberships + 2 monitors x few",
  "evaluation_queries PRICE": "20 + 2 memberships",
  "explain_queries READ_LINEAGE.actor.now": "60 + 3 memberships + 23 ancestors + 9 relations",
  "explain_queries READ_LINEAGE.actor.then": "80 + 3 memberships + 24 ancestors + 9 relations",
  "explain_queries READ_VIEW": "120 + 2 memberships + 4 few + 13 shorter",
  "find_queries FIND_ANYWHERE.role": "100 + 4 memberships + 3 page x few + 1 steps + 1 walk + 20 reach",
  "find_queries FIND_ANYWHERE.person": "100 + 4 memberships + 3 page x few + 1 steps + 2 walk + 20 reach",
  "find_queries FIND_ANYWHERE.device": "100 + 4 memberships + 3 page x few + 1 steps + 2 walk + 20 reach",
  "find_queries FIND_BEGINNING.role": "100 + 4 memberships + 3 page x few + 1 steps + 3 walk + 20 reach",
  "find_queries FIND_BEGINNING.person": "100 + 4 memberships + 3 page x few + 1 steps + 3 walk + 20 reach",
  "find_queries FIND_BEGINNING.device": "100 + 4 memberships + 3 page x few + 1 steps + 8 walk + 20 reach",
  "grant_queries GRANT_PAGES.all": "100 + 6 memberships + 20 few + 2 page x few + 4 relations + 18 reach",
  "grant_queries GRANT_PAGES.role": "60 + 10 memberships",
  "neighbourhood_queries READ_NEIGHBOURHOOD":
    "150 + 3 memberships + 8 few + 35 near + 2 near x few + 5 steps + 24 ancestors + 8 relations + 1 reach",
  "neighbourhood_queries READ_NEIGHBOURHOOD_OF_PERSON":
    "200 + 6 memberships + 18 few + 46 near + 5 near x few + 10 steps + 26 ancestors + 10 relations + 1 reach",
  "past_queries READ_PAST_AROUND":
    "300 + 3 memberships + 4 few + 60 near + 34 ancestors + 34 relations + 1 reach + 3 list",
  "past_queries READ_SEEN_THEN":
    "150 + 6 memberships + 10 few + 40 near + 5 near x few + 10 steps + 30 ancestors + 20 relations",
  "people_queries PEOPLE_PAGES.all.now": "60 + 2 memberships + 20 ancestors + 2 members + 6 keys",
  "people_queries PEOPLE_PAGES.all.then":
    "180 + 2 memberships + 66 ancestors + 2 members + 5 keys + 14 relations",
  "people_queries PEOPLE_PAGES.all.during":
    "400 + 2 memberships + 300 ancestors + 4 members + 10 keys + 125 relations",
  "people_queries PEOPLE_PAGES.email.now": "60 + 3 memberships + 4 list + 12 ancestors",
  "people_queries PEOPLE_PAGES.email.then": "170 + 2 memberships + 5 list + 63 ancestors + 14 relations",
  "people_queries PEOPLE_PAGES.email.during": "400 + 2 memberships + 10 list + 300 ancestors + 125 relations",
  "people_queries SEEN_ROLES": "70 + 4 list + 20 relations",
  "roles_queries ROLES_PAGES.all.now": "90 + 5 memberships + 15 few + 4 relations + 22 reach",
  "roles_queries ROLES_PAGES.all.then": "3870 + 24 memberships + 12 few + 11 relations + 6 reach",
  "roles_queries ROLES_PAGES.listed.now": "260 + 4 memberships + 16 list + 4 list x few + 8 steps",
  "roles_queries ROLES_PAGES.listed.then":
    "80 + 4 memberships + 28 list + 1 list x few + 1 steps + 26 relations",
  "search_queries RESOURCE_PAGES.device.reach":
    "80 + 2 page x few + 5 page x monitors + 7 devices + 25 reach",
  "search_queries RESOURCE_PAGES.device.walk": "80 + 2 page x few + 5 page x monitors + 7 devices + 25 reach",
  "search_queries RESOURCE_PAGES.role.reach":
    "120 + 1 memberships + 54 few + 3 page x few + 2 relations + 20 reach",
  "search_queries RESOURCE_PAGES.role.walk":
    "120 + 1 memberships + 54 few + 3 page x few + 2 relations + 20 reach",
  "search_queries SUBJECT_PAGES.key": "40 + 3 memberships + 4 ancestors + 4 keys",
  "search_queries USERS_WITH_ADDRESSES": "60 + 3 memberships + 12 ancestors + 2 members + 1 page",
  "search_queries SUBJECT_PAGES.user": "60 + 3 memberships + 12 ancestors + 1 members",
};
