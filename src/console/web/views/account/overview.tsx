import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { SaidTime } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { DormantMemberships } from "./dormant.tsx";
import { PasskeysItem } from "./second_factor/passkeys.tsx";
import { ChangeLink, Item, State, Unconfirmed } from "./setting_item.tsx";
import { type Factors, useFactors } from "./use_factors.ts";

interface OverviewProps {
  readonly factors: Factors;
}

/** The sign-in settings: each with its state, date and ways to change it. */
export function Security() {
  const { data, problem } = useFactors();
  return data === undefined ? <LoadingNote problem={problem} class="loading" /> : <Overview factors={data} />;
}

function Overview({ factors }: OverviewProps) {
  const { overview } = texts.value.accountSecurity;
  const { totp, emailOtp } = factors;
  return (
    <>
      <DormantMemberships />
      <p class={factors.enabled ? "account-shield" : "note"}>
        {factors.enabled ? overview.safe : overview.unsafe}
      </p>
      <ul class="account-cards">
        <Item title={texts.value.words.password} text={overview.passwordText}>
          <ChangeLink change="password" about={texts.value.words.password}>{overview.change}</ChangeLink>
        </Item>
        <PasskeysItem factors={factors} />
        <Item
          title={overview.totp}
          text={totp
            ? (
              <>
                <SaidTime label={overview.since} at={totp.completedAt} />
                {!totp.confirmed && <Unconfirmed />}
              </>
            )
            : overview.totpText}
          state={<State isOn={totp !== undefined} />}
        >
          <ChangeLink change="totp" about={overview.totp}>
            {totp ? overview.replace : overview.setUp}
          </ChangeLink>
          {totp && <ChangeLink change="totp-off" about={overview.totp}>{overview.turnOff}</ChangeLink>}
        </Item>
        <Item
          title={overview.emailOtp}
          text={emailOtp
            ? (
              <>
                {overview.emailOtpTo} <Name>{emailOtp.email}</Name>
                <br />
                <SaidTime label={overview.since} at={emailOtp.completedAt} />
              </>
            )
            : overview.emailOtpText}
          state={<State isOn={emailOtp !== undefined} />}
        >
          <ChangeLink change="email-otp" about={overview.emailOtp}>
            {emailOtp ? overview.change : overview.setUp}
          </ChangeLink>
          {emailOtp && (
            <ChangeLink change="email-otp-off" about={overview.emailOtp}>{overview.turnOff}</ChangeLink>
          )}
        </Item>
        <RecoveryCodes factors={factors} />
      </ul>
      <h2>{overview.lastResort}</h2>
      <p>{overview.lastResortText}</p>
    </>
  );
}

function RecoveryCodes({ factors: { enabled, recoveryCodes } }: OverviewProps) {
  const { overview } = texts.value.accountSecurity;
  if (!enabled || recoveryCodes === undefined) {
    return <Item title={overview.recoveryCodes} text={overview.recoveryCodesLater} />;
  }
  const { remaining, completedAt } = recoveryCodes;
  return (
    <Item
      title={overview.recoveryCodes}
      text={<SaidTime label={overview.madeOn} at={completedAt} />}
      state={<span class={remaining <= FEW ? "state few" : "state"}>{overview.left(remaining)}</span>}
    >
      <ChangeLink change="recovery-codes" about={overview.recoveryCodes}>{overview.newCodes}</ChangeLink>
    </Item>
  );
}

/** Number of remaining recovery codes at which new ones are advised. */
const FEW = 2;
