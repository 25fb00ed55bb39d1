"""Words in column names, by what they mean, in some twenty languages.

Words stand without accents in lower case. A *word* must be a whole word of the column's name; a
*stem* may stand anywhere within a word, as it does in German compounds (``Aufnahmedatum``).
"""

from __future__ import annotations

from enum import StrEnum


class Meaning(StrEnum):
    """What a column is about, as its name says."""

    # Identifiers
    PERSON_NAME = "a person's name"
    EMAIL = "an e-mail address"
    PHONE = "a telephone number"
    ADDRESS = "a postal address"
    NATIONAL_NUMBER = "a national or insurance number"
    ACCOUNT = "an account, policy or contract"
    KEY = "the number of a person or record"
    DEVICE = "a device or network address"
    VEHICLE = "a vehicle"
    WEB = "a web address or user name"
    TEXT = "free text"
    COORDINATE = "a coordinate"
    # Quasi-identifiers
    BIRTH = "birth"
    AGE = "age"
    SEX = "sex"
    POSTCODE = "a postcode"
    PLACE = "a place"
    ORIGIN = "origin or nationality"
    FAMILY = "family and household"
    EDUCATION = "education"
    WORK = "work and occupation"
    BODY = "height or weight"
    BELIEF = "religion"
    SERVICE = "military service"
    EVENT = "the time of an event"
    TRAVEL = "commuting"
    # Sensitive
    HEALTH = "health"
    MONEY = "money"
    CRIME = "offences"
    OPINION = "opinions and private life"
    SCORE = "a rating or score"
    # Others
    TECHNICAL = "how the data were made"


WORDS: dict[Meaning, str] = {
    Meaning.PERSON_NAME: """
        name names nom noms prenom prenoms nombre nombres apellido apellidos cognome nome nomes
        sobrenome apelido surname surnames lastname firstname forename forenames fullname familyname
        givenname middlename maidenname nickname initials nachname vorname familienname rufname
        geburtsname achternaam voornaam naam tussenvoegsel efternamn fornamn efternavn fornavn
        etternavn navn namn nazwisko imie imiona prijmeni jmeno priezvisko meno soyad soyadi ad adi
        isim sukunimi etunimi etunimet nimi nimet vezeteknev keresztnev csaladnev nev prenume nume
        prezime ime familia imya otchestvo фамилия имя отчество фио onoma eponymo first last maiden
        given kin beneficiary contact caregiver physician doctor arzt hausarzt medecin medico
        inhaber titular titulaire vardas pavarde perekonnanimi eesnimi
        """,
    Meaning.EMAIL: """
        email mail emails courriel mel correo posta eposta epost sahkoposti почта емейл
        """,
    Meaning.PHONE: """
        phone phones telephone tel mobile cell cellphone fax msisdn telefon telefonnummer telefonnr
        handy handynummer handynr rufnummer mobil mobilfunk portable telefono celular movil cellulare
        telefone celular telemovel telefoon mobiel gsm puhelin puhelinnumero telefonszam komorka
        телефон мобильный telefonu ceptelefonu
        """,
    Meaning.ADDRESS: """
        address addresses addr street streetname strasse str hausnummer hausnr anschrift adresse
        wohnadresse rue voie direccion domicilio calle indirizzo via civico endereco morada rua
        logradouro adres straat straatnaam huisnummer adress gata gatuadress osoite katuosoite vej
        adresa ulice ulica cim utca sokak адрес улица lakcim postadress
        """,
    Meaning.NATIONAL_NUMBER: """
        ssn sin nino nhs mrn medicare medicaid passport passeport pasaporte passaporto passaporte
        reisepass ausweis ausweisnummer personalausweis perso licence license permis dni nie nif nir
        niss nss curp rfc cuit cuil rut run cedula cpf rg cns pis cnh codicefiscale cf tessera bsn
        personnummer fodselsnummer cpr cprnr cprnummer hetu henkilotunnus pesel nip rodnecislo rc
        tckn tckimlik kimlik taj tajszam cnp egn emso oib jmbg amka afm inn снилс инн паспорт полис
        kvnr versichertennummer versichertennr sozialversicherungsnummer svnr ahv ahvnr steuerid
        steuernummer idnr rentenversicherungsnummer krankenversichertennummer aadhaar pan nric
        insurancenumber secu
        """,
    Meaning.ACCOUNT: """
        iban bic account accountnumber acct konto kontonummer kontonr bankkonto kontoinhaber compte
        rib cuenta conto conta rekening rekeningnummer bankkonto card cardnumber creditcard kreditkarte
        policy policynumber contract vertrag vertragsnummer vertragsnr police poliza polizza apolice
        polis invoice rechnung rechnungsnummer
        """,
    Meaning.KEY: """
        id ids uid uuid guid pid pk key identifier identifiant identificador identificativo kennung
        schluessel pseudonym token mrn ipp nip nda numerodossier dossier fallnummer fallnr patientennr
        patientennummer personalnummer personalnr kundennummer kundennr mitgliedsnummer matrikelnummer
        matrikelnr matricule matricula matricola serial serialno serialnumber seqno seqn sequence
        caseid caseno recordid recordno rowid rowno rownum rownumber index idx laufnummer lfd lfdnr
        accession voter badge kartennummer aktenzeichen
        """,
    Meaning.DEVICE: """
        ip ipaddress ipv4 ipv6 mac imei imsi iccid meid udid idfa gaid device deviceid cookie cookieid
        fingerprint session sessionid useragent hostname
        """,
    Meaning.VEHICLE: """
        plate plates licenceplate licenseplate numberplate kennzeichen kfz immatriculation matricula
        targa placa kenteken registreringsnummer tablica rejestracyjny plaka vin fin fahrgestellnummer
        """,
    Meaning.WEB: """
        url urls website web homepage link username user login loginname nickname handle twitter
        facebook instagram linkedin skype screenname profile benutzername usuario utilisateur
        """,
    Meaning.TEXT: """
        note notes comment comments remark remarks narrative transcript freetext text description
        bemerkung bemerkungen kommentar kommentare anmerkung notiz notizen freitext befundtext arztbrief
        anamnese commentaire commentaires remarque remarques observation observaciones observacion
        comentario comentarios notas osservazioni observacoes opmerking opmerkingen kommentti uwagi
        poznamka megjegyzes observatii комментарий примечание summary letter message complaint
        """,
    Meaning.COORDINATE: """
        lat latitude lon lng long longitude geo geom geometry geolocation gps coordinate coordinates
        coord coords xcoord ycoord easting northing breitengrad laengengrad latitud longitud latitudine
        longitudine geohash what3words
        """,
    Meaning.BIRTH: """
        birth birthdate birthday birthyear birthyr dob yob born bdate geburt geburtsdatum gebdat geburtstag
        geburtsjahr gebjahr naissance datenaissance nacimiento fechanacimiento nac nascita datanascita nascimento nasc dtnasc
        geboorte geboortedatum geboortejaar fodelse fodelsedatum fodelsear fodsel fodselsdato fodselsaar
        urodzenia urodzenie narozeni narodenia dogum syntymaaika syntymavuosi szuletes szuletesi nastere
        nasterii рождения рождение rodjenja gennisis anais naiss
        """,
    Meaning.AGE: """
        age ages agep aged ageyears ageyrs agegroup agegrp agecat ageband alter altersgruppe
        altersklasse lebensalter edad edades eta idade leeftijd leeftijdsklasse alder aldersgruppe ika
        ikaryhma wiek vek yas kor eletkor varsta возраст godine starost tranche senior seniorcitizen
        """,
    Meaning.SEX: """
        sex sexe sexo sesso gender genre genero geschlecht geslacht kon kjonn koen sukupuoli plec pohlavi
        pohlavie cinsiyet nem gen пол spol fylo female male
        """,
    Meaning.POSTCODE: """
        zip zipcode zip4 zip5 zip3 postcode postalcode postal plz postleitzahl codepostal codpost cp cap
        codigopostal cep postnummer postnr postinumero kodpocztowy pocztowy psc iranyitoszam postakodu
        индекс
        """,
    Meaning.PLACE: """
        city town village municipality county district province state region area borough suburb
        neighbourhood neighborhood parish tract block ward precinct constituency place location locality
        residence country territory continent metro urban rural puma msa fips nuts lsoa msoa postcodearea
        stadt ort wohnort gemeinde kreis landkreis bezirk bundesland land staat region ortsteil stadtteil
        gemeindeschluessel ags wohngebiet raum
        ville commune departement dept dep pays canton arrondissement quartier iris insee lieu localite
        reg habitation resid
        ciudad municipio provincia estado pais entidad localidad barrio colonia comunidad autonoma
        delegacion alcaldia comarca domicilio mpio mun residencia
        citta comune regione paese residenza localita frazione
        cidade bairro freguesia concelho distrito uf munic municipality codmun regiao
        plaats woonplaats stad gemeente provincie wijk buurt
        kommun lan stad ort bostadsort by kommune fylke sted bopael bosted
        kunta kaupunki maakunta asuinpaikka
        miasto miejscowosc gmina powiat wojewodztwo
        mesto obec okres kraj sehir il ilce mahalle varos megye telepules judet oras localitate comuna
        город область район край населенный grad opcina cell cellid tower antenna site hospital clinic
        school hosp facility institution station branch office
        """,
    Meaning.ORIGIN: """
        race races raza raca rasse ethnicity ethnic ethnie etnia etnicidad hispanic hisp hispan latino
        ancestry ancestr nationality nationalitat nationalite nacionalidad nazionalita nacionalidade
        nationaliteit nationalitet medborgarskap kansalaisuus narodowosc obywatelstwo obcanstvo uyruk
        allampolgarsag cetatenie гражданство национальность citizen citizenship cit staatsangehorigkeit
        staatsangehoerigkeit staatsburgerschaft cittadinanza ciudadania cidadania native nativity
        foreign foreigner auslander origin origen origine herkunft herkunftsland migration immigrant
        immigration migrationshintergrund migrant language langue lengua idioma lingua sprache
        muttersprache taal sprak kieli jezyk jazyk dil nyelv limba язык indigenous tribe caste cor racacor
        skin speaks
        """,
    Meaning.FAMILY: """
        marital married marstat marst mar marriage civil civilstatus civilstand familienstand
        matrimonial conjugal conyugal estadocivil stato civile burgerlijke staat civilstand siviilisaaty
        cywilny rodzinny rodinny medeni csaladi семейное relationship rel relation relshipp family familia
        famille famsize household hh hhsize haushalt haushaltsgrosse haushaltsgroesse menage hogar
        famiglia huishouden hushall children child kids kinder kinderzahl kind enfants enfant hijos hijo
        figli filhos barn lapset dzieci deti cocuk gyerek copii дети dependents dependants dependent
        siblings parents mother father guardian partner spouse widow divorced nchild parity housing
        dwelling wohnen logement vivienda situation familiale foyer
        """,
    Meaning.EDUCATION: """
        education educ educa edu school schooling schl degree diploma qualification graduate major
        faculty study studies course grade bildung schulabschluss abschluss ausbildung studium studiengang
        schulbildung etudes diplome dipl niveau formation estudios educacion escolaridad escolar escol
        titulo titulacion istruzione titolo studio scolarita instrucao escolaridade habilitacoes
        opleiding onderwijs utbildning uddannelse utdanning koulutus wyksztalcenie edukacja vzdelani
        egitim iskolai vegzettseg studii educatie образование literacy university college
        """,
    Meaning.WORK: """
        occupation occ occp ocup profession job jobtitle jobrole trade work worker workclass employment
        employer employed employ emp empstat industry ind indp sector naics sic isco soc nace naf cow
        position department dept role rank title tenure seniority manager labour labor labforce company
        organisation organization beruf beschaftigung beschaeftigung arbeitgeber branche wirtschaftszweig
        stelle abteilung taetigkeit tatigkeit emploi metier employeur csp pcs ocupacion profesion empleo
        trabajo puesto oficio professione occupazione lavoro settore profissao ocupacao emprego cbo
        beroep werk werkgever functie yrke arbete stilling erhverv ammatti zawod praca stanowisko
        povolani zamestnani meslek is foglalkozas munka profesie ocupatie ocupatia профессия должность
        работа hours wkhp uhrswork
        """,
    Meaning.BODY: """
        height weight size bmi stature groesse grosse korpergrosse koerpergroesse gewicht
        korpergewicht taille poids peso estatura talla altezza altura lengte gewicht langd vikt hojde
        vaegt pituus paino wzrost waga vyska vaha boy kilo magassag suly inaltime greutate рост вес
        eye hair handedness shoe
        """,
    Meaning.BELIEF: """
        religion religious faith denomination church konfession religionszugehorigkeit glaube culte
        religione religiao godsdienst geloof usko wyznanie nabozenstvi din vallas religie религия creed
        """,
    Meaning.SERVICE: """
        veteran military army mil vetstat vps service wehrdienst militaire militar militare
        """,
    Meaning.EVENT: """
        date dates datetime time timestamp day month year week quarter hour when dt dttm datum datums
        fecha fechas data dato tarih tarihi paivamaara kelt datumul дата jour mois annee jahr monat tag
        uhrzeit zeitpunkt ano mes dia anno mese giorno jaar maand ar admission admitted admit admittime
        discharge discharged dischtime arrival departure visit appointment enrollment enrolment
        registration signup hired hire start end begin onset death died deceased deathdate deathtime
        dod aufnahme entlassung entlassdatum aufnahmedatum eintritt austritt eintrittsdatum sterbedatum
        todesdatum tod entree sortie deces hospitalisation ingreso egreso alta defuncion sintomas
        ricovero dimissione decesso internacao obito dtobito opname ontslag overlijden inskrivning
        utskrivning indlaeggelse przyjecia wypisu zgonu prijeti umrti olum halal deces поступления смерти
        yoep stay idate login lastlogin call period zeitraum
        """,
    Meaning.TRAVEL: """
        commute commuting jwtr jwmnp trantime tranwork travel distance transport
        """,
    Meaning.HEALTH: """
        diagnosis diagnoses diagnostic diag diag1 dx disease illness condition icd icd9 icd10 cie10 cid
        cim10 medication medications medicine drug drugs prescription atc treatment therapy procedure
        procedures surgery operation ops cpt hcpcs drg symptom symptoms lab labs result results test
        finding findings hiv aids cancer tumor tumour covid covid19 sars vaccine vaccination vaccinated
        allergy allergies pregnancy pregnant gravid disability disabled handicap mental depression
        psychiatric anxiety alcohol smoking smoker tobacco smoke substance readmitted readmission icu
        intubated pneumonia asthma copd diabetes diabetic hypertension obesity obese stroke renal kidney
        cardiac cardiovascular heart blood bloodtype bloodgroup glucose cholesterol hba1c systolic
        diastolic pressure pulse temperature triage health genhlth healthcare hospitalized hospitalised
        mortality expire expired cause morbidity comorbidity insulin insurance coverage injury severity
        genetic gene mutation genotype biopsy suicide abortion fertility contraception specialty
        krankheit erkrankung diagnose diagnosen hauptdiagnose nebendiagnose befund befunde behandlung
        medikament medikamente medikation therapie symptome operation pflegegrad pflegestufe behinderung
        schwanger schwangerschaft krankenkasse krankenversicherung blutgruppe blutdruck raucher impfung
        gesundheit arbeitsunfahigkeit todesursache unfall
        maladie maladies diagnostics pathologie traitement medicament ordonnance ald ghm dp das ccam
        grossesse enceinte handicap vaccin sante mutuelle tabac tabagisme sanguin groupe cause
        enfermedad enfermedades diagnostico diagnosticos tratamiento medicamento medicamentos embarazo
        embarazada discapacidad vacuna salud tabaquismo neumonia asma epoc obesidad hipertension diabetico
        cardiovascular renal inmusupr intubado uci defuncion causa sangre resultado resultadolab
        malattia diagnosi terapia farmaco farmaci gravidanza disabilita vaccino salute fumo ricoveri
        doenca doencas diagnostico tratamento medicamento gestante gestant gravidez puerpera deficiencia
        vacina saude tabagismo causabas internado sangue
        ziekte diagnose behandeling medicijn zwanger zwangerschap handicap gezondheid
        sjukdom diagnos behandling lakemedel gravid halsa sygdom sykdom sairaus diagnoosi raskaus
        choroba rozpoznanie leczenie lek ciaza niepelnosprawnosc nemoc diagnoza lecba tehotenstvi
        hastalik tani tedavi ilac hamile betegseg terhes boala tratament sarcina диагноз болезнь лечение
        беременность группа крови diet exercise sleep drinking drunk payer
        """,
    Meaning.MONEY: """
        income inc incomes inctot pincp salary salaries wage wages wagp earnings pay payment payments paid
        cost costs charge charges totchg price amount amt debt credit loan loans balance tax taxes revenue
        benefit benefits pension wealth assets savings rent mortgage expense expenses expenditure welfare
        poverty bonus capital gain loss turnover donation gift default arrears budget reimb reimbursement
        premium purchase spend spending lunch compensation
        einkommen gehalt lohn bruttolohn nettolohn kosten schulden steuer rente vermogen vermoegen miete
        ersparnisse besoldung besoldungsgruppe bezuge sozialhilfe beitrag betrag preis umsatz
        revenu revenus salaire salaires cout couts dette impot loyer allocation allocataire rsa montant
        ingresos salario salarios sueldo coste costo deuda renta impuesto pension monto prestamo nomina
        reddito stipendio salario costo debito affitto importo pensione
        renda rendimento salario vencimento custo divida valor aluguel
        inkomen salaris loon kosten schuld huur inkomst lon skuld indkomst inntekt tulot palkka
        dochod wynagrodzenie pensja zarobki dlug plat mzda prijem gelir maas ucret jovedelem fizetes ber
        venit salariu доход зарплата оклад долг
        """,
    Meaning.CRIME: """
        crime crimes offence offense offences felony misdemeanor arrest arrested conviction convicted
        sentence prison jail recid recidivism criminal police verdict parole probation straftat
        vorstrafe delikt strafe delit condamnation delito condena reato crimine juv fel fine violation
        """,
    Meaning.OPINION: """
        vote voted voting party opinion political politics ideology attitude belief satisfaction sexual
        orientation sexuality lgbt union partei wahl meinung einstellung gewerkschaft opinion vote parti
        syndicat voto partido opinion sindicato partito sindacato
        """,
    Meaning.SCORE: """
        score scores rating rank grade grades gpa mark marks performance evaluation appraisal exam iq
        decile percentile target label outcome class churn attrition termination termreason note noten
        zensur punkte nota notas notes resultat puntuacion calificacion voto punteggio absences
        absenteeism warning disciplinary
        """,
    Meaning.TECHNICAL: """
        wt wgt weightfactor perwt hhwt pwgtp wgtp finalwt fnlwgt pondi ipondi ponderation pondera
        hochrechnungsfaktor gewichtungsfaktor factor expansion version wave batch sample source file
        filename checksum hash flag active status created updated extraction imported pernum sporder
        adjinc adjhsg line record type rectype rt questionnaire interviewer mode stratum psu cluster
        replicate campionario estrato conglomerado welle erhebung lauf sensor device latency ms duration
        count counter quality valid standard overtime
        """,
}

# Parts of words; each is long enough not to turn up by accident.
STEMS: dict[Meaning, str] = {
    Meaning.PERSON_NAME: """
        vorname nachname familienname geburtsname firstname lastname surname forename fullname
        maidenname prenom apellido cognome sobrenome achternaam voornaam efternamn fornamn efternavn
        etternavn nazwisko prijmeni sukunimi etunimi vezetek kereszt фамил kontoinhaber
        """,
    Meaning.EMAIL: "email courriel mailadresse sahkoposti",
    Meaning.PHONE: "telefon telephone phone handynr handynum mobilnr mobilenum rufnummer puhelin телефон",
    Meaning.ADDRESS: "adresse address strasse hausnummer anschrift direccion indirizzo endereco domicil",
    Meaning.NATIONAL_NUMBER: """
        passport personnummer fodselsnummer sozialversicherung rentenversicherung versichertennummer
        versichertennr seguridadsocial securitesociale insurancen nationalid socialsecurity steuernummer
        steuerident codicefiscale tesserasanitaria rodnecislo kimlikno henkilotunnus nhsnumber
        """,
    Meaning.ACCOUNT: "iban kontonummer accountn bankacc kreditkart creditcard policyn rekeningn vertragsn",
    Meaning.KEY: """
        identif patientenn fallnummer personalnummer kundennummer matrikel matricul employeenum
        customernum serialn accessionn pseudonym aktenzeichen
        """,
    Meaning.VEHICLE: "kennzeichen licenseplate licenceplate numberplate immatricul",
    Meaning.TEXT: "kommentar bemerkung freitext comment remark befundtext arztbrief observacion",
    Meaning.COORDINATE: "latitud longitud koordinat coordinat geoloc",
    Meaning.BIRTH: """
        birth geburt naissance nacimiento nascita nascimento geboorte fodels urodz naroz narod dogum
        syntyma szulet naster рожд
        """,
    Meaning.AGE: "altersgr altersk leeftijd ridage",
    Meaning.SEX: "gender geschlecht geslacht sukupuoli cinsiyet pohlav",
    Meaning.POSTCODE: "zipcode postcode postal postleit codpost codigopostal kodpoczt iranyitosz",
    Meaning.PLACE: """
        wohnort bundesland gemeinde landkreis municip county country residen departement region district
        provinc wojewod miejscow woonplaats ortsteil stadtteil hometown birthplace localid localit
        """,
    Meaning.ORIGIN: """
        nationali staatsang staatsburg citizenship ciudadan cittadinan ethnic hispanic migrationsh
        herkunft mothertongue muttersprach language гражданств
        """,
    Meaning.FAMILY: "marital familienstand estadocivil household haushalt civilst children enfants",
    Meaning.EDUCATION: "educat schulab bildung studiengang diplom escolar opleiding wykszt vzdel",
    Meaning.WORK: "occupat profess beruf employ arbeitgeb jobtitle jobrole ocupac foglalk",
    Meaning.BODY: "korpergr koerpergr korpergew bodyweight bodyheight",
    Meaning.BELIEF: "religi konfession",
    Meaning.SERVICE: "veteran military",
    Meaning.EVENT: "datum datetime timestamp fecha admission discharge aufnahme entlass deathd sterbe",
    Meaning.HEALTH: """
        diagnos krankheit erkrankung maladie enfermedad malattia medikament medicament medicat therap
        treatment pregnan schwanger embaraz disabilit behinder diabet hypertens alcohol icd10 icd9
        vaccin impf symptom allerg surgery cancer readmi hivstat rozpozn диагноз comorbid psych
        """,
    Meaning.MONEY: """
        income salary einkommen gehalt bruttolohn nettolohn revenu salaire sueldo salario reddito
        stipend earnings expens wynagrodz зарплат charges
        """,
    Meaning.CRIME: "criminal offen convict felony arrest recidiv",
    Meaning.SCORE: "rating readiness performan",
    Meaning.TECHNICAL: "weightfactor hochrechn gewichtung ponder expansion",
}
