/** Bounds of the statements of devices and telemetry; see `declared.ts`. */
export const DEVICE_BOUNDS: Readonly<Record<string, string>> = {
  bucket_queries: "20",
  "bucket_queries ADMIT_WRITE": "900",
  "bucket_queries MAY_WRITE": "900",
  "bucket_queries CHARGE_POINTS": "20 + 9 list",
  "device_listing_queries DEVICE_PAGES.ancestor.reach":
    "100 + 3 memberships + 3 list x few + 2 page x few + 4 page x monitors + 3 devices + 25 reach",
  "device_listing_queries DEVICE_PAGES.ancestor.walk":
    "100 + 3 memberships + 3 list x few + 2 page x few + 4 page x monitors + 3 devices + 25 reach",
  "device_listing_queries DEVICE_PAGES.externalId":
    "80 + 6 memberships + 15 list + 3 list x few + 5 list x monitors + 4 monitors x few + 9 namesakes",
  "device_listing_queries DEVICE_PAGES.id":
    "40 + 6 memberships + 15 list + 3 list x few + 2 list x shorter + 5 list x monitors + 4 monitors x few",
  "device_listing_queries DEVICE_PAGES.nodeId":
    "40 + 6 memberships + 15 list + 4 list x few + 5 list x monitors + 4 monitors x few",
  "device_listing_queries DEVICE_PAGES.none.reach":
    "80 + 2 page x few + 4 page x monitors + 4 devices + 25 reach",
  "device_listing_queries DEVICE_PAGES.none.walk":
    "80 + 2 page x few + 4 page x monitors + 4 devices + 25 reach",
  "device_listing_queries DEVICE_PAGES.role":
    "40 + 6 memberships + 11 list + 2 list x few + 3 steps + 2 devices + 4 list x monitors + 3 monitors x few",
  "device_listing_queries DEVICE_UPDATE_PAGES.ancestor.reach":
    "100 + 3 memberships + 3 list x few + 2 page x monitors + 4 devices + 18 reach",
  "device_listing_queries DEVICE_UPDATE_PAGES.ancestor.walk":
    "100 + 3 memberships + 3 list x few + 2 page x monitors + 4 devices + 18 reach",
  "device_listing_queries DEVICE_UPDATE_PAGES.externalId":
    "80 + 3 memberships + 11 list + 2 list x few + 4 list x monitors + 3 monitors x few + 9 namesakes",
  "device_listing_queries DEVICE_UPDATE_PAGES.id":
    "40 + 3 memberships + 11 list + 2 list x few + 4 list x monitors + 3 monitors x few",
  "device_listing_queries DEVICE_UPDATE_PAGES.nodeId":
    "40 + 3 memberships + 14 list + 2 list x few + 4 list x monitors + 3 monitors x few",
  "device_listing_queries DEVICE_UPDATE_PAGES.none.reach": "70 + 2 page x monitors + 4 devices + 18 reach",
  "device_listing_queries DEVICE_UPDATE_PAGES.none.walk": "70 + 2 page x monitors + 4 devices + 18 reach",
  "device_listing_queries DEVICE_UPDATE_PAGES.role": "60 + 4 memberships + 10 list + 4 devices",
  "device_listing_queries ENDED_DEVICE_PAGES.ancestor.reach":
    "100 + 3 memberships + 3 list x few + 3 page x few + 8 page x monitors + 4 devices + 25 reach",
  "device_listing_queries ENDED_DEVICE_PAGES.ancestor.walk":
    "100 + 3 memberships + 3 list x few + 3 page x few + 8 page x monitors + 4 devices + 25 reach",
  "device_listing_queries ENDED_DEVICE_PAGES.externalId":
    "80 + 6 memberships + 15 list + 3 list x few + 8 list x monitors + 5 monitors x few + 9 namesakes",
  "device_listing_queries ENDED_DEVICE_PAGES.id":
    "40 + 6 memberships + 15 list + 3 list x few + 2 list x shorter + 8 list x monitors + 5 monitors x few",
  "device_listing_queries ENDED_DEVICE_PAGES.nodeId":
    "40 + 6 memberships + 15 list + 4 list x few + 8 list x monitors + 5 monitors x few",
  "device_listing_queries ENDED_DEVICE_PAGES.none.reach":
    "80 + 3 page x few + 8 page x monitors + 4 devices + 25 reach",
  "device_listing_queries ENDED_DEVICE_PAGES.none.walk":
    "80 + 3 page x few + 8 page x monitors + 4 devices + 25 reach",
  "device_listing_queries ENDED_DEVICE_PAGES.role":
    "40 + 6 memberships + 11 list + 2 list x few + 3 steps + 4 devices + 8 list x monitors + 4 monitors x few",
  "device_listing_queries MONITORS_PAGES.device":
    "40 + 3 memberships + 9 list + 2 list x few + 4 list x monitors + 2 list x monitors x few",
  "device_listing_queries MONITORS_PAGES.id": "20 + 5 list",
  "device_listing_queries MONITORS_PAGES.none.reach":
    "80 + 1 page x few + 3 page x monitors + 2 devices + 20 reach",
  "device_listing_queries MONITORS_PAGES.none.walk":
    "80 + 1 page x few + 3 page x monitors + 2 devices + 20 reach",
  "device_listing_queries MONITORS_PAGES.role":
    "30 + 3 memberships + 8 list + 2 list x few + 3 steps + 1 devices",
  device_queries: "20",
  "device_queries PREVIEW_CREATION": "100 + 5 memberships + 6 ancestors + 3 members + 15 list",
  "effect_queries EFFECT_ON_DEVICES": "170 + 3 members + 6 closure + 20 monitors + 4 list",
  "device_queries CREATE_DEVICE": "120 + 9 memberships + 3 ancestors + 15 list",
  "device_queries CREATE_DEVICES": "120 + 9 memberships + 3 ancestors + 15 list",
  "device_queries UPDATE_DEVICE": "100 + 9 memberships + 3 ancestors + 2 monitors x few",
  "find_queries FIND_TAG_SETS": "40 + 40 list",
  count_queries: "20",
  "count_queries COUNT_SERIES": "20 + 10 list + 4 walk",
  "count_queries DISCOUNT_SERIES": "20 + 4 list",
  register_queries: "20",
  "register_queries REGISTER_SENDING": "60 + 38 list",
  "monitors_queries PUT_MONITORS": "170 + 9 memberships + 6 ancestors + 3 members + 7 monitors x few",
  "monitors_queries UPDATE_PERIOD": "30",
  "monitors_removal_queries REMOVE_MONITORS":
    "110 + 2 memberships + 5 list + 4 members + 7 devices + 4 reach + 2 closure",
  point_write_queries: "60 + 40 list",
  "read_queries READ_BLOCKS": "40 + 40 list",
  "read_queries READ_RECENT": "40 + 40 list",
  "read_queries READ_POINTS": "30 + 30 list",
  "read_queries READ_HOURS": "30 + 30 list",
  "cascade_queries DELETE_MONITORS": "40 + 4 list + 4 devices",
  "size_queries COUNT_DEVICES": "30 + 2 reach + 2 devices",
  "tombstone_queries KEEP_NODE_IDS": "20 + 4 list + 3 devices",
  "transfer_queries PREVIEW_TRANSFER":
    "210 + 6 memberships + 6 ancestors + 3 members + 14 list + 14 monitors x few",
  "transfer_queries TRANSFER_DEVICES":
    "210 + 9 memberships + 6 ancestors + 3 members + 14 list + 14 monitors x few",
  "write_queries FIND_SERIES": "50 + 38 list",
  "write_queries FIND_CROWDED": "50 + 38 list + 2 series",
  "write_queries REGISTER_SERIES": "50 + 38 list + 2 series",
  "period_queries FIND_NODE_IDS": "10 + 8 list",
  "grant_queries FIND_GRANTS": "60 + 10 walk",
  "grant_queries HELD_GRANTS": "20 + 9 list",
  "tombstone_queries GIVE_NODE_IDS_AWAY": "20 + 5 list",
  "trash_queries FORGET_DETACHED": "120 + 2 memberships + 5 list + 3 devices",
  "trash_queries FORGET_WITH_RELATION": "120 + 2 memberships + 5 list + 3 devices",
  "trash_queries RESTORE_DEVICES":
    "300 + 6 memberships + 5 list + 6 ancestors + 7 devices + 1 devices x monitors + 12 closure",
};
