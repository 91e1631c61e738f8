"""Uses the client that openapi-generator made, and prints what came back as JSON."""

import datetime
import json
import sys

import rolegrid

base_url, username, password, role_id = sys.argv[1:]


def api(kind, token=None):
    return kind(rolegrid.ApiClient(rolegrid.Configuration(host=base_url, access_token=token)))


refresh_token = api(rolegrid.TokensApi).login(rolegrid.LoginRequest(username=username, password=password))
token = api(rolegrid.TokensApi, refresh_token).get_access_token()
roles = api(rolegrid.RolesApi, token)
rights = rolegrid.Rights(
    role_management=True,
    user_management=True,
    view_management=True,
    device_management=True,
    report_management=True,
    alarm_management=False,
)

found = roles.query_roles(query_roles_request=rolegrid.QueryRolesRequest())
members = api(rolegrid.MembersApi, token).collect_members([int(role_id), 99])
try:
    roles.update_role(99, rolegrid.UpdateRoleRequest(name="Plant", self_rights=rights))
    error = None
except rolegrid.ApiException as refused:
    error = [type(refused).__name__, type(refused.data).__name__, refused.data.status_code]

proof = api(rolegrid.PasswordApi, token).prove_password(rolegrid.ProvePasswordRequest(password=password))
removed = roles.set_role_password(
    int(role_id), rolegrid.SetRolePasswordRequest(password=None), x_sudo_token=proof.sudo_token
)
role_password = roles.get_role_password(int(role_id))

devices = api(rolegrid.DevicesApi, token)
created = devices.create_device(
    int(role_id),
    rolegrid.CreateDeviceRequest.from_dict({"properties": {"nodeId": "meter-1", "floor": 3}}),
).actual_instance.device

telemetry = api(rolegrid.TelemetryApi, token)
telemetry.write_telemetry(
    db="energy",
    telemetry_point=[
        rolegrid.TelemetryPoint.from_dict(
            {"measurement": "power", "tags": {"nodeId": "meter-1"}, "fields": {"watts": 1.5, "mode": "eco"}}
        )
    ],
)
query = {
    "select": ["watts", "mode"],
    "from": {"measurement": "power", "database": "energy"},
    "where": {"tags": {"nodeId": "meter-1"}},
}
result = telemetry.collect_telemetry(rolegrid.CollectTelemetryRequest.from_dict(query)).actual_instance
cells = [cell and cell.actual_instance for cell in result.series[0].values[0]]

member = api(rolegrid.MembersApi, token)
change = rolegrid.AddMemberRequest(rights=rights)
preview = member.add_member(int(role_id), "eva@example.com", dry_run=True, add_member_request=change)
added = member.add_member(
    int(role_id), "eva@example.com", if_effect=preview.effect.tag, add_member_request=change
).member
key = api(rolegrid.KeysApi, token).create_key(
    int(role_id), rolegrid.CreateKeyRequest(name="Gateway", asks=True), x_sudo_token=proof.sudo_token
)
explanation = roles.explain_right(
    rolegrid.ExplainRightRequest(
        role_id=int(role_id), right="alarmManagement", user_email="eva@example.com"
    )
)
past = roles.explain_right(
    rolegrid.ExplainRightRequest(role_id=int(role_id), right="alarmManagement", as_of=rolegrid.AsOf(1))
)
access = api(rolegrid.AccessApi, key.secret)
people = access.query_access_to_role(int(role_id))
reached = access.query_access(rolegrid.QueryAccessRequest.from_dict({"keyId": key.key.id}))
changes = api(rolegrid.ChangesApi, token).query_changes(
    query_changes_request=rolegrid.QueryChangesRequest(limit=100)
)
decision = api(rolegrid.AuthZENApi, key.secret).evaluate(
    rolegrid.AuthzenEvaluation.from_dict({
        "subject": {"type": "user", "id": "eva@example.com"},
        "action": {"name": "viewManagement"},
        "resource": {"type": "role", "id": role_id},
    })
)

print(json.dumps({
    "role": found.role[0].name,
    "members": [member.user_email for member in members.member],
    "error": error,
    "removed": removed,
    "setAt": role_password.set_at,
    "device": [created.properties.node_id, created.properties.additional_properties,
               isinstance(created.last_update, datetime.datetime)],
    "cells": cells[1:],
    "preview": [preview.member.id, preview.effect.people.gained, added.user_email],
    "explanation": [explanation.allowed, explanation.blocked[0].lost_at_member,
                    explanation.fix[0].actual_instance.may_you, past.allowed],
    "access": [person.user_email or person.key.name for person in people.access],
    "reached": [role.role_id == int(role_id) for role in reached.access],
    "changes": [[entry.kind, entry.actor and entry.actor.actual_instance.email] for entry in changes.change],
    "decision": decision.decision,
}))
