/** Bounds of the statements of roles, relations, members and keys; see `declared.ts`. */
export const GRAPH_BOUNDS: Readonly<Record<string, string>> = {
  "cascade_queries DELETE_DEVICES": "40 + 5 list + 4 members + 5 devices + 4 reach",
  "cascade_queries NOTE_DELETED_DEVICES": "50 + 5 list + 4 members + 7 devices + 2 closure",
  change_queries: "20",
  "change_queries CHARGE_PREVIEW": "30 + 6 ancestors + 3 members",
  "check_queries READ_PAST_RIGHTS":
    "70 + 3 memberships + 25 list + 1 list x few + 22 ancestors + 22 relations",
  "closure_queries ADD_LEAF_TO_CLOSURE": "20 + 2 closure",
  "closure_queries CLEAR_RECTANGLE": "30 + 3 closure",
  "closure_queries DROP_ROWS_BELOW_DELETED_ROLES": "30 + 4 closure",
  "closure_queries GROW_CLOSURE": "40 + 3 closure",
  "closure_queries RECOMPUTE_MOVED": "50 + 7 closure",
  "closure_queries RECOMPUTE_RECTANGLE": "100 + 9 closure",
  "effect_queries EFFECT_OF_GROWING": "150 + 5 memberships + 3 members + 8 closure",
  "effect_queries EFFECT_OF_MEMBERSHIP": "250 + 5 memberships + 18 closure",
  "effect_queries EFFECT_OF_SHRINKING": "250 + 5 memberships + 3 few + 3 members + 29 closure",
  "effect_queries EFFECT_ON_ROLE": "180 + 5 memberships + 3 members + 1 closure",
  "key_queries CREATE_KEY": "40 + 4 memberships + 6 ancestors + 3 members + 2 reach",
  "key_queries DELETE_KEY": "40 + 4 memberships + 6 ancestors + 3 members + 2 reach",
  "key_queries KEY_PAGE": "10 + 6 keys",
  "listing_queries MANAGED_BY_PAGES.none":
    "100 + 14 memberships + 2 page x few + 130 ancestors x ancestors + 24 reach",
  "listing_queries MANAGED_BY_PAGES.role":
    "40 + 4 memberships + 14 list + 1 list x few + 7 list x shorter + 5 ancestors",
  "listing_queries MANAGES_PAGES.child": "20 + 8 list + 3 list x shorter",
  "listing_queries MANAGES_PAGES.id": "20 + 3 list",
  "listing_queries MANAGES_PAGES.none": "80 + 1 page x few + 5 relations + 30 reach",
  "listing_queries MANAGES_PAGES.role":
    "30 + 3 memberships + 8 list + 2 list x few + 2 list x shorter + 1 reach",
  "listing_queries MEMBER_PAGES.email": "20 + 4 memberships + 1 few + 4 list",
  "listing_queries MEMBER_PAGES.id": "20 + 3 list",
  "listing_queries MEMBER_PAGES.none":
    "90 + 10 memberships + 18 few + 1 page x few + 2 members + 2 keys + 14 reach",
  "listing_queries MEMBER_PAGES.role":
    "30 + 4 memberships + 10 list + 2 list x few + 4 list x shorter + 1 members + 1 keys",
  "listing_queries ROLE_PAGES.ancestor":
    "30 + 3 memberships + 8 list + 2 list x few + 2 list x shorter + 1 reach",
  "listing_queries ROLE_PAGES.fewIds.otherwise":
    "40 + 3 memberships + 7 list + 2 list x few + 5 list x shorter",
  "listing_queries ROLE_PAGES.fewIds.probe": "60 + 16 few",
  "listing_queries ROLE_PAGES.id": "40 + 3 memberships + 7 list + 2 list x few + 5 list x shorter",
  "listing_queries ROLE_PAGES.idAndMore": "130 + 3 memberships + 9 list + 2 list x few + 4 list x shorter",
  "listing_queries ROLE_PAGES.name": "70 + 7 memberships + 1 few + 15 list + 2 list x few + 7 list x shorter",
  "listing_queries ROLE_PAGES.namePrefix": "90 + 38 few + 1 page x few + 20 reach",
  "listing_queries ROLE_PAGES.none": "30 + 2 memberships + 5 reach",
  manages_queries: "20",
  "manages_queries DELETE_RELATION":
    "100 + 2 memberships + 5 list + 7 members + 7 devices + 3 keys + 9 closure",
  "manages_queries MOVE_RELATION": "40 + 4 memberships + 6 ancestors + 3 members + 7 closure",
  "manages_queries PUT_RELATION": "80 + 4 memberships + 6 ancestors + 3 members + 9 closure",
  "manages_queries REHEARSE_DELETION":
    "80 + 7 memberships + 5 list + 6 ancestors + 4 members + 7 devices + 6 closure",
  "manages_queries UPDATE_RELATION": "80 + 4 memberships + 6 ancestors + 3 members + 9 closure",
  "member_queries PUT_MEMBER": "40 + 4 memberships + 6 ancestors + 3 members + 2 reach",
  "member_queries REMOVE_MEMBER": "40 + 4 memberships + 6 ancestors + 3 members + 2 reach",
  password_relation_queries: "20",
  "password_relation_queries BEGIN_PUT_BY_PASSWORD": "20 + 2 memberships",
  "password_relation_queries COMPLETE_PUT_BY_PASSWORD":
    "80 + 4 memberships + 6 ancestors + 3 members + 9 closure",
  "role_password_queries FIND_ROLE_PASSWORD": "20 + 2 memberships",
  "role_password_queries MAY_SET_PASSWORD": "10 + 2 memberships",
  "role_password_queries SET_ROLE_PASSWORD": "40 + 15 memberships",
  role_queries: "20",
  "role_queries CHECK_RIGHTS": "40 + 3 memberships + 6 list + 2 list x few + 5 list x shorter",
  "role_queries CREATE_ROLE": "40 + 7 memberships + 2 ancestors + 2 closure",
  "role_queries PROBE_RIGHT": "50 + 2 few",
  "role_queries PROBE_RIGHTS": "60 + 16 few",
  "role_queries UPDATE_ROLE": "40 + 7 memberships + 6 ancestors + 3 members",
  "summary_queries SUMMARIZE":
    "30 + 3 memberships + 2 list + 1 list x few + 3 list x shorter + 3 ancestors + 3 reach",
  made_key_queries: "40",
  made_key_reads: "40 + 4 keys",
  "payer_queries PAYER_OF_KEY": "600",
  "usage_queries READ_USAGE": "40 + 2 ancestors",
  "usage_queries WRONG_USAGE": "20 + 10 all",
};
