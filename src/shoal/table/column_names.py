"""Words in column names that tell what a column is, in English, German, French and Spanish."""

from __future__ import annotations

import re
import unicodedata

from shoal.table.schema import Role

# Whole names.
_IDENTIFIER_NAMES = frozenset(
    """
    name names nom prenom nombre apellido apellidos id uid uuid guid nr nbr identifier dni nie cpf
    nif nir
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_QUASI_NAMES = frozenset({"state", "region", "city"})
_SENSITIVE_NAMES = frozenset({"target", "label", "outcome", "class"})

# Single words anywhere in a name.
_IDENTIFIER_WORDS = frozenset(
    """
    ssn passport email mail phone telephone mobile fax url username login iban account
    firstname lastname surname fullname forename familyname mrn nhs insurancenumber licence license
    plate street address ip imei fingerprint
    vorname nachname familienname strasse adresse telefon handy kontonummer ausweis
    versichertennummer sozialversicherungsnummer steuernummer kennzeichen
    courriel telephone adresse matricule rue
    correo telefono direccion calle pasaporte matricula
    """.split()  # noqa: SIM905
)
_PERSON_WORDS = frozenset(
    """
    patient person customer client employee member user subject individual participant student
    encounter case record admission visit insured citizen first last full middle maiden family given
    kunde mitarbeiter patienten versicherter personal social security national
    cliente empleado paciente usuario employe assure seguridad securite
    """.split()  # noqa: SIM905
)
_NUMBER_WORDS = frozenset(
    """
    id ids nbr nr no num number key name code nummer numero identifier identifiant kennung
    """.split()  # noqa: SIM905
)
_DATE_WORDS = frozenset({"date", "datum", "fecha", "dob"})
_QUASI_WORDS = frozenset(
    """
    age birth birthdate birthday dob born sex gender zip zipcode postcode postal plz race ethnicity
    ethnic hispanic country nation nationality native citizenship origin marital relationship
    education degree school schooling occupation profession job workclass employer industry
    sector county municipality town district province residence location place religion language
    height weight date admission admitted discharge discharged arrival death veteran household
    children dependents housing ancestry immigration census
    alter geburt geburtsdatum geburtstag geburtsjahr geburtsort geschlecht postleitzahl land
    nationalitat staatsangehorigkeit familienstand bildung beruf ort wohnort stadt gemeinde kreis
    bundesland sprache datum aufnahme entlassung kinder haushalt groesse gewicht herkunft
    sexe naissance pays nationalite etat civil codepostal ville commune departement profession
    diplome langue entree sortie enfants genre
    edad sexo nacimiento fecha pais nacionalidad estado civil codigopostal ciudad municipio
    provincia profesion ocupacion educacion idioma ingreso alta hijos genero
    """.split()  # noqa: SIM905
)
_SENSITIVE_WORDS = frozenset(
    """
    diagnosis diagnoses diag disease illness condition icd icd10 icd9 medication drug drugs
    treatment therapy procedure symptom test result lab hiv cancer income salary wage wages earnings
    pay cost costs charge charges price debt credit loan balance tax revenue benefit crime offence
    offense sentence vote party opinion score grade alcohol pregnancy disability mental readmitted
    diagnose diagnosen krankheit erkrankung befund behandlung medikament einkommen gehalt lohn
    kosten schulden steuer
    diagnostic maladie traitement revenu salaire cout dette impot
    diagnostico enfermedad tratamiento medicamento ingresos salario sueldo coste costo deuda renta
    """.split()  # noqa: SIM905
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column name: lower case, without accents, ``zipCode`` as two."""
    split = _CAMEL.sub(" ", name).replace("ß", "ss")
    plain = unicodedata.normalize("NFKD", split).encode("ascii", "ignore").decode().lower()
    return tuple(word for word in _NOT_WORD.split(plain) if word)


def role_of_name(name: str, *, may_identify: bool = True) -> tuple[Role, str] | None:
    """Return the role that a column name speaks for and the words that do, if there are any.

    Identifiers are looked for first, since to miss one does most harm; a name with a date in it
    is a quasi-identifier even beside a sensitive word (``diagnosis_date``).

    Parameters
    ----------
    name
        The column name.
    may_identify
        Whether the values could tell records apart; if not, words for identifiers do not count.
    """
    words = words_of(name)
    whole = " ".join(words)
    joined = {*words, whole.replace(" ", "")}
    if may_identify:
        found = _identifier_words(words, joined)
        if found is not None:
            return Role.IDENTIFIER, found
    for role, vocabulary in (
        (Role.QUASI, _DATE_WORDS),
        (Role.SENSITIVE, _SENSITIVE_WORDS),
        (Role.QUASI, _QUASI_WORDS),
    ):
        matching = [word for word in words if word in vocabulary] or sorted(joined & vocabulary)
        if matching:
            return role, matching[0]
    if whole in _SENSITIVE_NAMES:
        return Role.SENSITIVE, whole
    if whole in _QUASI_NAMES:
        return Role.QUASI, whole
    return None


def _identifier_words(words: tuple[str, ...], joined: set[str]) -> str | None:
    whole = " ".join(words)
    if whole in _IDENTIFIER_NAMES:
        return whole
    if any(word in _NUMBER_WORDS for word in words) and joined & _PERSON_WORDS:
        return whole
    matching = [word for word in words if word in _IDENTIFIER_WORDS]
    matching += sorted(joined & _IDENTIFIER_WORDS)
    if not matching and words and words[-1] in ("id", "nbr", "nr", "number", "nummer", "numero"):
        matching = [words[-1]]
    return matching[0] if matching else None
