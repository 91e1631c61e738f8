"""Uses the client that openapi-python-client made, and prints what came back as JSON."""

import json
import sys

from rolegrid import AuthenticatedClient, Client
from rolegrid.api.members import add_member
from rolegrid.api.roles import explain_right, query_roles
from rolegrid.api.telemetry import write_telemetry
from rolegrid.api.tokens import get_access_token, login
from rolegrid.models import AddMemberBody, ExplainRightBody, LoginBody, QueryRolesBody, TelemetryPoint

base_url, username, password, role_id = sys.argv[1:]

refresh_token = login.sync(
    client=Client(base_url), body=LoginBody(username=username, password=password)
)
token = get_access_token.sync(client=AuthenticatedClient(base_url, refresh_token))
client = AuthenticatedClient(base_url, token)

found = query_roles.sync(client=client, body=QueryRolesBody())
rights = {
    f"{kind}Management": kind != "alarm"
    for kind in ("role", "user", "view", "device", "report", "alarm")
}
added = add_member.sync(
    int(role_id),
    client=client,
    user_email="eva@example.com",
    body=AddMemberBody.from_dict({"rights": rights}),
)
explanation = explain_right.sync(
    client=client,
    body=ExplainRightBody.from_dict(
        {"roleId": int(role_id), "right": "alarmManagement", "userEmail": "eva@example.com"}
    ),
)
point = {"measurement": "power", "tags": {"nodeId": "unknown"}, "fields": {"watts": 1.5}}
refused = write_telemetry.sync(client=client, db="energy", body=[TelemetryPoint.from_dict(point)])

print(json.dumps({
    "role": found.role[0].name,
    "added": added.member.user_email,
    "explanation": [explanation.allowed, explanation.blocked[0].lost_at_member],
    "refused": refused.status_code,
}))
