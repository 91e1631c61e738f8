/**
 * The test vectors of W3C WebAuthn Level 3, section 16: each a creation and an assertion of one credential. Their
 * challenges are their own, which `openChallenge` would refuse; the ceremonies leave challenges to it. What manufacturers
 * state about an authenticator is not read.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { verifyAssertion, verifyCreation } from "../../../src/accounts/factors/passkey/ceremony.ts";
import type { RelyingParty } from "../../../src/accounts/factors/passkey/rules.ts";

interface Vector {
  /** The section of the specification. */
  readonly section: string;
  readonly what: string;
  /** The client's data of the creation, and of the assertion. */
  readonly created: string;
  readonly proven: string;
  /** All others are in base64url. */
  readonly attestationObject: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** Right responses. */
const ACCEPTED: readonly Vector[] = [
  {
    section: "16.2",
    what: "ES256 without attestation",
    created:
      '{"type":"webauthn.create","challenge":"AMMPt4UxxGTStncdq417YDwBFi8vpIa-pw8oOuVW4TA","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: BkQeDjdcTBrXBiAwJTLE5Q"}',
    attestationObject:
      "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikv6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LVZAAAAAIRGzLmrHbN0dQsjZ_9vOh8AIPkfOR20ybL94OpwGJy6P7Y_V5umEiszrZT_PsMwCEvkpQECAyYgASFYIK_voW-XypstI-uGzLZAmNINuQhWBi6yScM6m2cvJt9hIlggkwpWuHovymYzSwNFir-HlxfBLMaO1zKQry4mZHlrkiA",
    proven:
      '{"type":"webauthn.get","challenge":"OcDnUhQXulTUPo3JUXT0I97pvzzYBP9tZchXyav01Ag","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUZAAAAAA",
    signature:
      "MEYCIQD1Ck4uRAkknEqFO6NhKC8JhB303UVHoTqHeAIY3v_NOAIhAISArA8Lk1OBdPV1vxGh3V14xuSGAT-TcpXqE2U-Mx6H",
  },
  {
    section: "16.3",
    what: "ES256 with self attestation",
    created:
      '{"type":"webauthn.create","challenge":"eGnCt3LUtY66k3jPjynibPk1qnffDaifqZwL3Ap29-U","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: U9hTXvKE2URkMnb_0xYHVg"}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSiY2FsZyZjc2lnWEYwRAIgBnogdUq5JQBdvzeAl8khIAMVgccyKNH7T1uIG819qYMCIH_HsUdVjHwOujrxi9nRIfo9OibRf-PyICchePRztgBtaGF1dGhEYXRhWKS_q8N0MpWLBjNg061kYcnEc1rn-O3UZZKl4PAUUrLktV0AAAAA34UOCdtq-9-rUWl3kVBs_AAgRV7zTiBDqH2z1K_rObvLbMMt-TR8eJqGXs3KEpy-9YylAQIDJiABIVgg6xUcgXayJcxlFVn-zwevRQ_YWAIEZlazTBj2zxk4Q8UiWCCSe4qkJ6K-G4g00jOi009h8Tv9RBGcMl1YluGD_uSE8g",
    proven:
      '{"type":"webauthn.get","challenge":"RHihCxNSNI3RYME1Ow1Gm12xnrkcJ_ffpv7Tn-Jq8gs","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: gTb53rz6EhSWomXGzimC1Q"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUJAAAAAA",
    signature:
      "MEQCIDMQuUMZA8QB8b4r3I0jpAB2gtu93PhGmUlHt_Rl2vhAAiBOlN0ABHsxYGGzuZdyt-_ZWZSoPvWEs7a4Jeo1UCUbZg",
  },
  {
    section: "16.6",
    what: "ES256 with the longest id",
    created:
      '{"type":"webauthn.create","challenge":"ERPHJlzPXmUSQoL6HXgZp6FMuFOapM2-x0h-XzXY7Gw","origin":"https://example.org","crossOrigin":false}',
    attestationObject:
      "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVkEg7-rw3QylYsGM2DTrWRhycRzWuf47dRlkqXg8BRSsuS1SQAAAACPM2DCzRsKwU_-B5XF0mOOA_86dhpOFnStbEMFhpQ1wO7pwoYXLCKbuRtItK2hQMCGNBcDEwXM5bSieojX_nKKX1pifedxtLQOd_GHmAwST5_oMtcTYBBDagVsznFmgFh9Ixh88fwsYq6G_D5Qjulhf_x0-8EEiOwW7F6QljKGaaiYcJtlXlSXOMZmwa5igdw7X3M8JR0-77du5wo4BcqRvMGOScjcf2Pry0hrqMPWq1K4j_csalu0fDLz7oaDo93Iq_YIcESOyKIbW9yxg8ferYcCVVdabflusbaioQGXgMup5Ih7F_8RZLu8wQ6w2G7XWYTNP6NBkQMCRQff2c6PksVq95FMsLtQuHuoKjErt9zZMCjb3NatsmaXlmcVgzUXHjaC03dVcB7b-dhyhGopHUnlfvCdoexjf1BS7SqnQH9-YYJ0aOlLRhhE9MZ75fqcYFWlZvj9_CnUv3ip_ydfVSzGi6VD-jli7qNv0eqEU3ZFd9Ah0KGB78H2EAqy5BEAOeIe4WlwvadDK2E0SSFVr8EmKVs6LszRLGamjjQJaemV4-jJxHbjlc_CEgNBQRB3lHTxyXl0BmN9vkFPEyUZ078M5PAXNO8OGhLDrWBP8V12axYk22pafMv_e8NcmQjflKuid-CvSPBP89FjgcR-WjftOYimejseyqkmM2szOR__BBKPhpmRyfq9kFtv487vX4tjDsHF0mNtWxlhrVylAEFw9vXkgnkqrZibAof-keXEeUAzlxUvH6Vqp5sVbrR-bI6j6xdcNM-zitjncodGObECPU0BOVyU5VgxZxzAIqpvoeAqAsLkq8d29pYOUfg7cajA8ge2o0dXOXeBLJqlSAsAEapzm9S3bBjAAMxHV8zsy5IPAHxAwA435ashR2zZ9gVKj_-1WhCPXHBuLOogSdgf0yH_R9KldhsIAJVasdT0iJ9VqE4mAcaE8XpK3nRT6klZHQtZyNmnZQUvYiGc9u9KXdlTnwYX1uu-vOfAAEVUddGESeJcSe-aHj7-GMCQguviBY18NH3vqpLwZkVTuAXH12u_zl8zCsoiCskKeJOA_EeeoNh5MgWBPMpZCpEvaZrVL5kaG8ClA8PsSyppZxnjwmWRqHEn9zBcx-cvTI45NV67BqWxBCmQ84cQ7nqmEu5DdLuC6HhYWnCpbCprR_EBpP8VS-T9dqMWdXelzFTZFnwVTGmsNUheRMyJi3GeG-PMnA-1YkuPig2uEJR6Qb-Ei2wbsz0QBuwHfX4obj8qe0hDcWOQEZRJ_ich6Bpe0jM9MxxxIHZdpY-trnPBnZqMRQnPisHp2Yt5mlJ0UJBpc5tYI_P7SWZjggAzQmmI7vylPlgOD54N_gmS_C5TqX4FNjn5hXcFj5lb29Qc79ulAQIDJiABIVggO4F2t1BEicxZMEbXmIq7eQWnQt5qws3HSKhzxmPpDLEiWCAUNtXtyadfI5me751ZUKXCRVUU7hAUCEcg-EGga4KKEQ",
    proven:
      '{"type":"webauthn.get","challenge":"7x3rpW3OSPZ0pEfM9juVmSWM6HZI5cOW8u8ModpGDjs","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUNAAAAAA",
    signature:
      "MEUCID7O-D-xKgyueEEFX5-HEDqZ_RS0JBlLvwbEYj0-5uP9AiEA0qzjRtsmKxN0prcPqlH1GKQt3KE6QSXOb1BSp1usn7Y",
  },
  {
    section: "16.7",
    what: "ES256 with packed attestation",
    created:
      '{"type":"webauthn.create","challenge":"wRhKX934BF4T3Ef1S2H1pla2ZrWQGPFthw6SVumVIBI","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: 9a8bNYjKCgWrBXU-fCl1ag"}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEcwRQIgPxnsSyKfRquMRe_ym5BP8QwDkNxAvxIW8Ep49M66NCUCIQD-cEGjJ1mv8FoPnybHCpmceihEUbqJI0odNIPCXiGSW2N4NWOBWQIlMIICITCCAcigAwIBAgIRAIjCIPg8jvH-r-lN6uRfqtAwCgYIKoZIzj0EAwIwYjEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxJTAjBgNVBAsMHEF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24gQ0ExCzAJBgNVBAYTAkFBMCAXDTI0MDEwMTAwMDAwMFoYDzMwMjQwMTAxMDAwMDAwWjBfMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbjELMAkGA1UEBhMCQUEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASpG6Q4lAndOKQoFBlAyo_rGsDXtDUFWBBKN3ekkyLzeYRA83izOYqy07t7-RMiyS6yNVb1mtCoNv7Ex2Y7Dk3Do2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB_wQEAwIHgDAdBgNVHQ4EFgQUpYm6ctBghCqxH3T7JGve2rFvm5swHwYDVR0jBBgwFoAURa_3FbDdeGdB_umW68FlR6OTGx4wCgYIKoZIzj0EAwIDRwAwRAIgFya52F7Nil7VEWNyLKOiCIb9myQqCqBFPUQhFgdd79UCIH70ceUwrIeWGoin8NDBewkf_GuSONMPefY1tBe-WRDnaGF1dGhEYXRhWKS_q8N0MpWLBjNg061kYcnEc1rn-O3UZZKl4PAUUrLktU0AAAAAh2yk9SBxw-myVQnvLN9-1gAgyab1s0YtAoc_6gxWhiI0-Z8IFygITlEbt3YCAaiQVKWlAQIDJiABIVggHPJ_JdpZEgikI5wuMk8QT1hVJUeaKe3u3YMPSOd66uUiWCBZ5LfabAEG4gbOOQyTq5ihWl7DiH5X8Mwr7OgDuSDEIw",
    proven:
      '{"type":"webauthn.get","challenge":"sRBvpGpXvvF4FRHAVX3ImKA0E9Xw8X0kRjDBlMfhrbU","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: AZMwyMxIbD8-uguFNp6r8Q"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUNAAAAAA",
    signature:
      "MEUCIGlJadPuko3m8C7yOpxkTX13mRZFFzSpS0MlQvSYoevpAiEAiwgZyCQhipcVLNCZxVv7FHeynZAKSaZAGDFPm_zNoWM",
  },
  {
    section: "16.10",
    what: "RS256 with packed attestation",
    created:
      '{"type":"webauthn.create","challenge":"vqjwdwAJvVfywN9v6p90Oifkthu-kjyGLHqtep_I5KY","origin":"https://example.org","crossOrigin":false}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEcwRQIhAIuMXG6owULAMuC-aeE1PURGHFyRCZQc3alRuXbrlbazAiBNUvQGwZ4lSz_5WJvRgHD7BVrI2xL90KZzS-qdcWjpAGN4NWOBWQImMIICIjCCAcegAwIBAgIQH2-3pezoG0WJa5g6mV2l8zAKBggqhkjOPQQDAjBiMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzElMCMGA1UECwwcQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbiBDQTELMAkGA1UEBhMCQUEwIBcNMjQwMTAxMDAwMDAwWhgPMzAyNDAxMDEwMDAwMDBaMF8xHjAcBgNVBAMMFVdlYkF1dGhuIHRlc3QgdmVjdG9yczEMMAoGA1UECgwDVzNDMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMQswCQYDVQQGEwJBQTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLeza3VCoREgtEPHlNDJn9wloGt2WGQT2B4IYWPvb-FHpVevw04oYdkFfW1GXUcFoDEFUL3utfNe41uUJauFmYGjYDBeMAwGA1UdEwEB_wQCMAAwDgYDVR0PAQH_BAQDAgeAMB0GA1UdDgQWBBT7N7ZHvM-55U2YnqqswWM4aHA_szAfBgNVHSMEGDAWgBRFr_cVsN14Z0H-6ZbrwWVHo5MbHjAKBggqhkjOPQQDAgNJADBGAiEAuGvBKdkq_KfZhpo59w8TmjBbQHOjnrZU2BQkvtV1fZECIQDPn3xgyrfEp9Pn8AIPKBqT1P0Kn5USG5ifVpMqaIhfumhhdXRoRGF0YVkCG7-rw3QylYsGM2DTrWRhycRzWuf47dRlkqXg8BRSsuS1XQAAAABCj4h4KYuYYqNq2MdSe_7yACCZKhisyD9nUzYAwROKS0xL0jbeE2Kc8CXtF8sAsAt036QBAwM5AQAgWQG0A_____________________________________________________________________________________________________________________________________________________________________________________________________________________f_________________________________________________________________________________________________________________________________________________________gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAASFDAQAB",
    proven:
      '{"type":"webauthn.get","challenge":"KV9Z9fqP5ixayp4nYmx4yNo3aubYzS3SmuutYB4bxMU","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUZAAAAAA",
    signature:
      "AQY9UtfDm01DL8cGPF2T5YK9yxaInNcfiI1n2IDqcwpChJjTvI4e4R8rHsvmwpKxGMVf-q3e-oytClTdE3xR8e7Gc_G7bE0XidaCaiIrItD1hfyQH9yTMhLledGZuJ1nKqRIkTM-ahNVU2Al6CslWQJWw1OCKbVXNwg7L2uTd-SeJHLxGVL3n90NoYC1_9kBtASajwgbtAcRvvdsYq7ZQ1cfLQV1MEy1SdaNiJL5UIajD5Nxau6Bj43AbpbA1eDtTPqf2Hc9kEZLaM8UD3mGZm_5yeMwKs0FNdYNdp9GXiq1fviqvIn8z-97oypkFUqLPSa-Ipj0cLjMU3fb49_UsLRfjwHmO95s_Ha2J3H5twqifPQBUsrZOqWs14T9S5D2duLqgo0L8kAK67quQVPlg49Tf4i2IoNGeCqTqJm-Zux33kWz788xHaYyHJLmsM0Rv-ZTvz6YzujjQfAtZ9u2-cmNnoF4CQz7W3D7xtVBWZrHlK4vHU3hKG7I3owtr3sdFchDjpDZJN9cGQRSIKTIQ4wbl5u-AWzz0O7sI8OZnUiCzGRbd23pMHVmEs3G3TmBYP8Cpg",
  },
  {
    section: "16.11",
    what: "Ed25519 with packed attestation",
    created:
      '{"type":"webauthn.create","challenge":"qKv52r3GsN9jRms5vanoo0o04YUzelnxxXmZBnbTs70","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: B_DT5g7ZD_-9OTLYX5IvEQ"}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEgwRgIhANg_YL2AJpU3WDIYhYrvsDrFfUX6BuQv6q4zLRh_YtqfAiEAoCvTy29-HSg8k7rR8_S1pMBJRGPaf9vyVpSRFnVNHxdjeDVjgVkCJzCCAiMwggHIoAMCAQICEQCyz8nqM8hkOw4adgRj6vFkMAoGCCqGSM49BAMCMGIxHjAcBgNVBAMMFVdlYkF1dGhuIHRlc3QgdmVjdG9yczEMMAoGA1UECgwDVzNDMSUwIwYDVQQLDBxBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uIENBMQswCQYDVQQGEwJBQTAgFw0yNDAxMDEwMDAwMDBaGA8zMDI0MDEwMTAwMDAwMFowXzEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xCzAJBgNVBAYTAkFBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3St6VktzuMC4HExi5SGSXE0RmOyfWD2_HuvjZLZc2cKam980aqqB-2uVB-UkmlL9r4454msLfcRZkqfiM7cPcKNgMF4wDAYDVR0TAQH_BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFAridUa8fsyxtLWXvTVPDAsfH4-OMB8GA1UdIwQYMBaAFEWv9xWw3XhnQf7pluvBZUejkxseMAoGCCqGSM49BAMCA0kAMEYCIQCg1DTstfw7_X2l9BkEUXrSg2JJ9WG9g0unpDioq3pM6AIhAPrIRbt6AlE7WOnzGWVNvkmw8CuVg1usVoxx-KGM3emraGF1dGhEYXRhWIG_q8N0MpWLBjNg061kYcnEc1rn-O3UZZKl4PAUUrLktUEAAAAA1aozWB6MpHjiD-cT9dMv8gAgzp-EDtllmVgM0UD7x7syMGM_UPYQQa_3Mwiuccqoor2kAQEDJyAGIVggROBt3TMcNqjcZnurUryuY0hskWql4znmrOuqhJNL-DI",
    proven:
      '{"type":"webauthn.get","challenge":"iVlX4BxjOmmDSKLYoxpUt9sn6MHEOyCA15riGQJnv9I","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUBAAAAAA",
    signature: "9cWcfkbDT2-MwZcQHd-ZNPollfaOsZE6Y36EGeubpM_fxI-FOTvA1AsBHw1v7LCX1mB1JXEyI6DcDUU5k9rgCw",
  },
  {
    section: "16.14",
    what: "ES256 with a statement about an Android key",
    created:
      '{"type":"webauthn.create","challenge":"PeHwtzZdzN4_8MvyXib_p7r_h-8QbID8hl3EAtmWAFA","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: VV1cQuR2qLM_amPfoHzL0g"}',
    attestationObject:
      "o2NmbXRrYW5kcm9pZC1rZXlnYXR0U3RtdKNjYWxnJmNzaWdYSDBGAiEA6VUSmCqj8hbP8uh8jsVwV7hSn2dOqr7Mqif9A9h3nxkCIQCvtr9FnaSoJvANAfxrYHEv8x3E6zMWGcj4dLsX5DFOlGN4NWOBWQJuMIICajCCAhCgAwIBAgIQH_kfdrY_RIEvmYslCwKGvzAKBggqhkjOPQQDAjBiMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzElMCMGA1UECwwcQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbiBDQTELMAkGA1UEBhMCQUEwIBcNMjQwMTAxMDAwMDAwWhgPMzAyNDAxMDEwMDAwMDBaMF8xHjAcBgNVBAMMFVdlYkF1dGhuIHRlc3QgdmVjdG9yczEMMAoGA1UECgwDVzNDMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMQswCQYDVQQGEwJBQTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJkWllcDbQiaKpghp9AGPTQfGkYTOJNZY276tfPL8azP3ZHFVUMXbqmbZEQG3R3WN3S2r2WsdZ4G_0CxyKsC32ujgagwgaUwDAYDVR0TAQH_BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFBrIHlBkHo0TOauffrJfDNWqwFSwMB8GA1UdIwQYMBaAFEWv9xWw3XhnQf7pluvBZUejkxseMEUGCisGAQQB1nkCAREENzA1AgIBLAoBAAIBAAoBAAQgtDUCjXtqj4O7Rh1BwZsFOp082zA1Gk83TNTN6NvvtgYEADAAMAAwCgYIKoZIzj0EAwIDSAAwRQIgLSfwyjnS9Rn8j0nG2W38eTBZ4hH_gFFqUDmM8erCoyICIQDUgqiMdA9kz2qYzMbIufXh5TP6XlCfCntMOgL5ZKjrp2hhdXRoRGF0YVikv6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LVdAAAAAK3pcF4c5whbiZpUDQIZm_gAIApHKVGXiLbtii13K0lOGGJE2MeYwFKWDbyMEMkVF2eVpQECAyYgASFYIJkWllcDbQiaKpghp9AGPTQfGkYTOJNZY276tfPL8azPIlgg3ZHFVUMXbqmbZEQG3R3WN3S2r2WsdZ4G_0CxyKsC32s",
    proven:
      '{"type":"webauthn.get","challenge":"5O4Fyp287XQRZUDyTtmtxiquhQdWBSKET_p-6hT3r4Y","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: qxJxB-_xgrwyML618drSnA"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUJAAAAAA",
    signature:
      "MEUCIQCiteN9pDzrY1ZvbigXxsvvJhBz0Mrf0hP_Yim9M93qbAIgPXfrMgL8krm1u4Q-8ILHdm-MfyMZTJJwj_Lz0d52Wo8",
  },
  {
    section: "16.15",
    what: "ES256 with a statement by Apple",
    created:
      '{"type":"webauthn.create","challenge":"9_aIIThSAHd1AJz4wJb9qJ1guan7WlDdgd2YmK9aBgk","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: TjLPnpOaXQUrFNcbH2tTZA"}',
    attestationObject:
      "o2NmbXRlYXBwbGVnYXR0U3RtdKFjeDVjgVkCXDCCAlgwggH-oAMCAQICEDlCdWE9UxC4GinOkPSLYcEwCgYIKoZIzj0EAwIwYjEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxJTAjBgNVBAsMHEF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24gQ0ExCzAJBgNVBAYTAkFBMCAXDTI0MDEwMTAwMDAwMFoYDzMwMjQwMTAxMDAwMDAwWjBfMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbjELMAkGA1UEBhMCQUEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASKPVsbTFQ6cGv25LAK_ts8kwtpDdKGk0_ikR93nMd2Gvco4ao7D_Zmkhktqndrg9344zQNLZoOq9_DJOs-LxNso4GWMIGTMAwGA1UdEwEB_wQCMAAwDgYDVR0PAQH_BAQDAgeAMB0GA1UdDgQWBBQS8c5sCuObQDv8kgAxe8GDpOTXZjAfBgNVHSMEGDAWgBRFr_cVsN14Z0H-6ZbrwWVHo5MbHjAzBgkqhkiG92NkCAIEJjAkoSIEINeobnIz-4Q-sO60B9i3b_fk-C0hjPXbtGHXUgc_XLKaMAoGCCqGSM49BAMCA0gAMEUCIHD1wu3jAA6drjWNQSsmpKy_GPTN64D1sT_NVk0JDDnsAiEA9nLiw9vhF8mxSQs8Zgq_Xc10OYGHCC2stYtnRN5KymBoYXV0aERhdGFYpL-rw3QylYsGM2DTrWRhycRzWuf47dRlkqXg8BRSsuS1SQAAAAB0ghCiAHZhanM7IRQzb8OEACCcSliGr5KD2b4-nsVZeN7f3OLjs2XKsZOuhQwWI4-vuKUBAgMmIAEhWCCKPVsbTFQ6cGv25LAK_ts8kwtpDdKGk0_ikR93nMd2GiJYIPco4ao7D_Zmkhktqndrg9344zQNLZoOq9_DJOs-LxNs",
    proven:
      '{"type":"webauthn.get","challenge":"0-spZGQeJv7QI0A6ct3gk7GcS6kAjD-d2D_P00embQU","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUJAAAAAA",
    signature:
      "MEYCIQDuNdt5XOKAROH4Ix1os9eamIL3QVqjXBtax00kJRBzyAIhANzGVpFlCkEtDO74Q3EMCYJ6zybHhFvdrAfuyVhj5_xM",
  },
];

/** Right responses, too, but of frames, algorithms and roots that this service does not accept. */
const REFUSED: readonly Vector[] = [
  {
    section: "16.4",
    what: "a frame",
    created:
      '{"type":"webauthn.create","challenge":"O-WqzQNTcUJHI0CrWWnyQPHYdxbiC2gHrCMGVfpLO0k","origin":"https://example.org","crossOrigin":true,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: zZquEtDR9DWqpW5tBWTFug"}',
    attestationObject:
      "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikv6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LVFAAAAAIg_T2AU8ZwJ2HqjgSO-SNAAIG4QUMDSyi8Hx1XLLGanTGT6QwZcGPk4NU2ZFdsr1c5XpQECAyYgASFYICIgCkc_kLEQeIUVUNA7TkSiJ5-MTsonsxU97f4D5Ol9Ilggy9C-ledGrW9agZG-EXVuTAQg5y9ltGbTm8VrixI6nG4",
    proven:
      '{"type":"webauthn.get","challenge":"h2qlF7qD_e5l_P_bykyE7q5dVPgEGh_IXJkeW7snMTc","origin":"https://example.org","crossOrigin":true,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: 92pcTVD0Aby-q4dtmj6efg"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUFAAAAAA",
    signature:
      "MEYCIQDrEvzyOxJ2TA8SLiI3H6uS4oOHn9eY847hhByVG25A5wIhAMdiN_-dt3s8VvMIN82moJrPoukVVE5gnAczsRhANtHP",
  },
  {
    section: "16.5",
    what: "a frame of a named origin",
    created:
      '{"type":"webauthn.create","challenge":"Th9MYZhpnjPBTxkhU_Sdfg6ONXfVrEFsXzrckqQfJ-U","origin":"https://example.org","crossOrigin":true,"topOrigin":"https://example.com"}',
    attestationObject:
      "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikv6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LVBAAAAAJdYb9CXmadkAcIARVCZ7yoAILitWbmWBHqxjizrVyBsNi2ldFh5NIH0qOvxAcfKfMDxpQECAyYgASFYIKHEfB2C2k6-gs1yIHECs4BnBwGZO8NTmK4uVyZCf-AdIlgghsEIDYKYcCjH9U7LGwEYXeJDs1kpSg7SEM1HSA8K3Ig",
    proven:
      '{"type":"webauthn.get","challenge":"1UpcjKS2Ko47syHjsrxzhW-FoQFQ2yk5rBlXOeseoGY","origin":"https://example.org","crossOrigin":true,"topOrigin":"https://example.com","extraData":"clientDataJSON may be extended with additional fields in the future, such as this: UiFoJMVRQHDAFWFi4vxUpQ"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUFAAAAAA",
    signature:
      "MEUCIQC1pwyBeA1fzJpPKunKrpkFj4rMr1i5H7WTKWRsKKxv_AIgEuEBwWXbPI6ZV_DFTdbKm1a8O9LygL0vqmwdAsblwXE",
  },
  {
    section: "16.8",
    what: "ES384",
    created:
      '{"type":"webauthn.create","challenge":"VnsDCz4Ya8HRad1Ft5-eDYbx_WNHTaPq3lvbjbN5oMM","origin":"https://example.org","crossOrigin":false}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEcwRQIhAMVuzJcLeEODPg9GH94mIz9h6zlRYdSBVYwIucbtYWdbAiAp9eBQM3Bc0PmwoH4UlGjsMIpPhJBkCe_c6x2iCnUY1mN4NWOBWQIlMIICITCCAcegAwIBAgIQPQpViLuH67HUzuShgHwbfDAKBggqhkjOPQQDAjBiMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzElMCMGA1UECwwcQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbiBDQTELMAkGA1UEBhMCQUEwIBcNMjQwMTAxMDAwMDAwWhgPMzAyNDAxMDEwMDAwMDBaMF8xHjAcBgNVBAMMFVdlYkF1dGhuIHRlc3QgdmVjdG9yczEMMAoGA1UECgwDVzNDMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMQswCQYDVQQGEwJBQTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBflzJHWdtNw42qn3kDCWqy0WjhF8T0pMgiOziJwubQxJBwhnCLQwlbJQ4reAPLAXmL475Brm5l66fPEYMLbZvWjYDBeMAwGA1UdEwEB_wQCMAAwDgYDVR0PAQH_BAQDAgeAMB0GA1UdDgQWBBTHyN2VOCoiMOTA3TZkM4-pCBaanDAfBgNVHSMEGDAWgBRFr_cVsN14Z0H-6ZbrwWVHo5MbHjAKBggqhkjOPQQDAgNIADBFAiBUBozJrgOJN7fEaMMH7bnGkn_962ogBwxIPrQDMPmfEAIhAM9BlTkZw8BGk9ax9CphN1PyBOcOhfxumxcDYXC4NZbgaGF1dGhEYXRhWMW_q8N0MpWLBjNg061kYcnEc1rn-O3UZZKl4PAUUrLktVkAAAAA6VDc2jva4dCHzaOAqJeEiwAglTri3Z8osaHVgCyD4fZYM7uXaaCN6C2BK8J8E_xvBqmlAQIDOCIgAiFYMEhmvYsB2nienrgG5eqwWuWmOFQilqsFei8bvOm1j4oIuRcTkLWKN6x__8LF9FhX2iJYMCoLAkx_S3IHKh-WvTCnJhqulXHdOYcOsp5VwJQcawjolimh6hIWqmTOV8KAe_OQGg",
    proven:
      '{"type":"webauthn.get","challenge":"_0HD0l29iWb7YeKO9eRwQeE37SaFIEEtdiAroK0tFFM","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUNAAAAAA",
    signature:
      "MGUCMQDk77tGdF7QDmfE1Rqyusqyr2L_qLfF_s7G19m_JYInUDSnE6PdcxaF7uga369qpj8CMBYWVTU_B-AYo8JTn43nyMTPiNTDLSvin-Tnb6CW7MlFi7_giV1XEpqzJBMObwaS2w",
  },
  {
    section: "16.9",
    what: "ES512",
    created:
      '{"type":"webauthn.create","challenge":"TuIgzZKwfhFFHLTCAcV1W9h5hI5JKpsS15E1xidk3C_Sjq1ICMr-WtHej6ngjUqO6v6k37Mzh3sCvFA_R107DBOUp2g7qvTyR3gp97jPdQlImFVYdIwHMGg5b8_c0_JFvyA45rs411MnaKrRO-jBGPcnci50JhOQQenKylA4hMU","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: o3qVjOL2tTWm4GxkzI_Qgg"}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEcwRQIhAM4Vj2wEqlwUwN0-EQPPk2ZIlvtcM3pm29fboxVG_w1BAiBxy80NO44him0FN04O-AMTKdJQWQAqwWA9AtX9igopy2N4NWOBWQInMIICIzCCAcigAwIBAgIRAIoSi36-UrmTg1d55tm4E1UwCgYIKoZIzj0EAwIwYjEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxJTAjBgNVBAsMHEF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24gQ0ExCzAJBgNVBAYTAkFBMCAXDTI0MDEwMTAwMDAwMFoYDzMwMjQwMTAxMDAwMDAwWjBfMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbjELMAkGA1UEBhMCQUEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASUC2iIUpFTbi98YMBaz7JS5-689DBEJd2Tq3sZYvIEkr8Y3A8ShiWZ6B-3ZKySFR-aePy7NdeibIxSlJsYEzwGo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB_wQEAwIHgDAdBgNVHQ4EFgQUP_rYY6vNPcVxe4olIYn0Gvl-fzEwHwYDVR0jBBgwFoAURa_3FbDdeGdB_umW68FlR6OTGx4wCgYIKoZIzj0EAwIDSQAwRgIhAIMsi2TE8BiL0y4b7GPhMwHNwDFl0--EDR89q7mlcZ-DAiEArdV6nVvt7JjykiLfyX6nldBV7hOgKhU9Ar6c4Art65FoYXV0aERhdGFY6b-rw3QylYsGM2DTrWRhycRzWuf47dRlkqXg8BRSsuS1TQAAAAA52M5qPPYQJXdQg6c45cJUACDRfVr34_N8VmIqZ8hGLJ4cYzbfzLi2HTWdxHN426WM5KUBAgM4IyADIVhCAIMkCiw60ho9wKbao9i8BaRtfNmCW6AQrioiaGwtbWY9fV9niYf7HnZ1QuY9wZeukV4l-O4oRlGvKQZpEKLMCD9QIlhCAXM330erXM5dcW74yv-pejASaJsfMm6mxDobqVlscvcfASI5AUNVK0K-dytMNf-5YSIMdDtIamAepMttVBL1sHjT",
    proven:
      '{"type":"webauthn.get","challenge":"CNMZDG3LPU8MtlmgMzv16hJN3zagzTPVIEsNeiKozCby5PFp0gAoXHez-yLg8cf0mofUvi0l6S15eAjdqqm1cV79OmrakznTBSpofbxdL4yHGwRR4GkfV60ThUG3ty56qJM3KewcZkvy5N7a4WFtCOzvqAoqU7EDZjzlqIEEiCk","origin":"https://example.org","crossOrigin":false}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUZAAAAAA",
    signature:
      "MIGHAkIAm9oC_jhOd7y5-0KwfDlbelPsnZYW3QMIq4SVwhQcg2TH0W4hKkpPuOOYf_bJnq_WTYSE_SjD_Hlo9lipAz0bsbgCQWOD6fPuIMaRtmYgKZ_vNr6i3005ySsurZL1jnt5qw2YZNLr87Dcxm6hMjRJLM7m6dQh20PJWby5TBYtyUlBNsn2",
  },
  {
    section: "16.12",
    what: "Ed448",
    created:
      '{"type":"webauthn.create","challenge":"JXjQgBtaAFtUUeVAEheIywGUnhh7kdsT9YdVQD778zc","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: BQqA3ieHVSHMTDMWwG2kKw"}',
    attestationObject:
      "o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEcwRQIhAMVDC2tT9rj9Hl-kaufruPnprg0Q68dI6Hbi2XmzmxOCAiAIxc2orxdPLTwFDV0U7sByEDE2TLEpJKBmM9SSTGvK02N4NWOBWQInMIICIzCCAcigAwIBAgIRAM_0IoaX1uWsR0gLI5BnfwUwCgYIKoZIzj0EAwIwYjEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxJTAjBgNVBAsMHEF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24gQ0ExCzAJBgNVBAYTAkFBMCAXDTI0MDEwMTAwMDAwMFoYDzMwMjQwMTAxMDAwMDAwWjBfMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbjELMAkGA1UEBhMCQUEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS4Wq95DIJAN8_p_FarjXzm-_r_Lj_nyNdFc0w8bjxs6IDVBczbHiw3OGgOb0n0deTY0LbCkGDm4NemOS-2kJTOo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB_wQEAwIHgDAdBgNVHQ4EFgQU-o-BwtzA4ZSuUDTH553PbZ2Fk-IwHwYDVR0jBBgwFoAURa_3FbDdeGdB_umW68FlR6OTGx4wCgYIKoZIzj0EAwIDSQAwRgIhAOdh9UIVrZLyfCwUue6j456MIkKegz7Lpb6RiYeqcuDmAiEA1acU30ecI4WGt9nmaE6oSZEIcDiw_vaim1e2a3TfBf1oYXV0aERhdGFYm7-rw3QylYsGM2DTrWRhycRzWuf47dRlkqXg8BRSsuS1WQAAAABByROu2pJf4CJzMi40wq5nACAiT83jJOawde3lUJiiS53c5fWnxx0jcD79Uoo4-KXzPKQBAQM4NCAHIVg5gFHvT5RnC1q_F9oulVi6brqU64cENjkVtNZm3ih60ynenx8HUhGrpgLcbnpeUrFajuHJhKn4iHOA",
    proven:
      '{"type":"webauthn.get","challenge":"GpQvQB2Njjb-iIw1witxgheAL8ZoW_E5xHsxFAgShpM","origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be extended with additional fields in the future, such as this: XKHjgbXgCeAXYNsutjIxbw"}',
    authenticatorData: "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUdAAAAAA",
    signature:
      "Bx25IUMOE8oaYH7tuWy9MP1jlGoG5zEhfK1v2CujuTDUgjCKLBAXUqJRjP9wkY1KIPKb0u2k9FqAu6bErYWxD7chsYSXJbfb7zFdX7EBxtq4kLBtlKi1KnS1hI9o5hUq8khnt1VdKyK4lVy_9ch95zsA",
  },
];

const PARTY: RelyingParty = { id: "example.org", name: "Vectors", origins: ["https://example.org"] };
/** Flags, counter and AAGUID between the hash of the domain and the length of the credential's id. */
const HEAD_BYTES = 32 + 1 + 4 + 16;
const PREFERRED = { requireUserVerification: false };
const REQUIRED = { requireUserVerification: true };

const decode = (value: string): Buffer => Buffer.from(value, "base64url");
const encode = (value: string | Uint8Array): string => Buffer.from(value).toString("base64url");

/** What the authenticator made, read by hand: its data ends the attestation object. */
function madeBy({ attestationObject, authenticatorData }: Vector) {
  const bytes = decode(attestationObject);
  const start = bytes.indexOf(decode(authenticatorData).subarray(0, 32)) + HEAD_BYTES;
  const keyStart = start + 2 + bytes.readUInt16BE(start);
  return {
    id: encode(bytes.subarray(start + 2, keyStart)),
    publicKey: encode(bytes.subarray(keyStart)),
    flags: bytes[start - HEAD_BYTES + 32] ?? 0,
  };
}

function wrap<Response>(vector: Vector, response: Response) {
  const { id } = madeBy(vector);
  return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response } as const;
}

function create(vector: Vector, party = PARTY) {
  const { created, attestationObject } = vector;
  return verifyCreation(party, wrap(vector, { clientDataJSON: encode(created), attestationObject }));
}

function prove(vector: Vector, options = PREFERRED, changes: Partial<Vector> = {}, party = PARTY) {
  const { proven, authenticatorData, signature } = { ...vector, ...changes };
  const response = wrap(vector, { clientDataJSON: encode(proven), authenticatorData, signature });
  const { publicKey } = madeBy(vector);
  return verifyAssertion(party, response, { publicKey, userHandle: "" }, options);
}

/** User verification, backup eligibility and backup state, by the flags of the authenticator's data. */
function saidBy(flags: number) {
  return {
    userVerified: (flags & 0x04) !== 0,
    backupEligible: (flags & 0x08) !== 0,
    backedUp: (flags & 0x10) !== 0,
  };
}

/** Returns the text in base64url with one bit of its byte at `index` flipped. */
function flip(value: string, index: number): string {
  const bytes = decode(value);
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return encode(bytes);
}

/** Certificates of clients name addresses, which nothing may follow. */
function forbidFetch(): Disposable {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error("nothing may be fetched"));
  return { [Symbol.dispose]: () => void (globalThis.fetch = fetch) };
}

const ELSEWHERE: readonly RelyingParty[] = [
  { ...PARTY, id: "example.com" },
  { ...PARTY, origins: ["https://www.example.org"] },
];

for (const vector of ACCEPTED) {
  Deno.test(`vector ${vector.section}, ${vector.what}: creation`, async () => {
    using _ = forbidFetch();
    const { id, publicKey, flags } = madeBy(vector);
    assert.deepEqual(await create(vector), { credentialId: id, publicKey, counter: 0, ...saidBy(flags) });
    for (const party of ELSEWHERE) assert.equal(await create(vector, party), undefined);
    assert.equal(await create({ ...vector, created: vector.proven }), undefined, "another type");
  });

  Deno.test(`vector ${vector.section}, ${vector.what}: assertion`, async () => {
    const flags = decode(vector.authenticatorData)[32] ?? 0;
    const right = { counter: 0, ...saidBy(flags) };
    assert.deepEqual(await prove(vector), right);
    assert.deepEqual(await prove(vector, REQUIRED), right.userVerified ? right : undefined);
    for (const party of ELSEWHERE) assert.equal(await prove(vector, PREFERRED, {}, party), undefined);
    const broken: Readonly<Record<string, Partial<Vector>>> = {
      "another type": { proven: vector.created },
      "another challenge": { proven: vector.proven.replace(/"challenge":"./, '"challenge":"_') },
      "another counter": { authenticatorData: flip(vector.authenticatorData, 36) },
      "another signature": { signature: flip(vector.signature, decode(vector.signature).length - 1) },
    };
    for (const [what, changes] of Object.entries(broken)) {
      assert.equal(await prove(vector, PREFERRED, changes), undefined, what);
    }
  });
}

for (const vector of REFUSED) {
  Deno.test(`vector ${vector.section}, ${vector.what}: refused`, async () => {
    assert.equal(await create(vector), undefined);
  });
}

for (const vector of REFUSED.filter(({ what }) => what.includes("frame"))) {
  Deno.test(`vector ${vector.section}, ${vector.what}: an assertion is refused, too`, async () => {
    assert.equal(await prove(vector), undefined);
  });
}
