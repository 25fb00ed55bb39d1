"""Short notes and labels of several languages, written for the tests alone.

Most of the people's names are not in the lists that the detectors use.
"""

from __future__ import annotations

NAMED = {
    "en": ("patient {given} {family} reports chest pain", "seen by Dr {family}, no change",
           "{given} {family} did not attend", "mother of Mrs {family} rang"),
    "de": ("Patient {given} {family} klagt über Schmerzen", "Frau {family} kommt am Montag wieder",
           "Rückruf bei Herrn {family} vereinbart", "Befund an Dr. {family} geschickt"),
    "fr": ("le patient {given} {family} se plaint de douleurs", "Mme {family} revient lundi",
           "appel de Monsieur {family} ce matin", "vu par le docteur {family}"),
    "es": ("el paciente {given} {family} refiere dolor", "la Sra. {family} no acude a la cita",
           "llamada de la hija {given} {family}", "visto por el doctor {family}"),
    "it": ("paziente {given} {family} riferisce dolore", "la signora {family} torna domani",
           "visto dal dott. {family} stamattina", "chiamata della sig.ra {family}"),
    "pt": ("a paciente {given} {family} refere dor", "o senhor {family} faltou à consulta",
           "telefonema da Sra. {family} ontem", "filha {given} {family} ligou"),
    "nl": ("patiënt belt, mevrouw {family} heeft pijn", "de dochter {given} {family} belde",
           "gezien door dhr. {family} vandaag"),
    "pl": ("pacjent {given} {family} zgłasza ból", "pacjentka {given} {family} nie przyszła"),
    "ru": ("пациент {given} {family} жалуется на боль", "госпожа {family} придёт завтра"),
}  # fmt: skip

UNLISTED = {
    "en": ("Elowen Tregarthen", "Caradoc Pellow", "Ottoline Kersey", "Peregrine Vane"),
    "de": ("Wunibald Überreuther", "Notburga Zschoche", "Gernot Quandt", "Roswitha Tschirner"),
    "fr": ("Hermance Kerguelen", "Tancrède Poilblanc", "Yseult Carabœuf", "Aldric Troadec"),
    "es": ("Eufrasio Goikoetxea", "Nerea Zubizarreta", "Abundio Cascallana", "Itsaso Urkullu"),
    "it": ("Ermenegildo Quaglia", "Domitilla Squarcina", "Calogero Piscopo", "Ivana Zuin"),
    "pt": ("Gumercindo Bulhosa", "Iolanda Quintal", "Deolinda Sobral", "Zeferino Malta"),
    "nl": ("Sietse Wiarda", "Froukje Terpstra", "Gerbrand Quist", "Aafke Bouma"),
    "pl": ("Zdzisława Pyrz", "Bonifacy Szczur", "Gniewomir Kuc", "Otylia Mróz"),
    "ru": ("Ефросинья Бруй", "Пантелеймон Жук", "Аглая Гусь", "Лукерья Чиж"),
}

NUMBERED = {
    "en": "please ring back on 020 7946 0{n:03d} after six",
    "de": "Rückruf unter 0171 234 5{n:03d} erbeten",
    "fr": "numéro de dossier 1840575{n:03d} à rappeler",
    "es": "llamar al 612 345 {n:03d} por la tarde",
    "it": "nato il 12.03.19{n:02d} a Pavia",
    "pt": "mora na Rua Augusta, {n} com a filha",
    "pl": "urodzony 03.11.19{n:02d} w Kielcach",
    "nl": "woont op Kerkstraat {n} met haar zoon",
}

ORDINARY = {
    "diagnosis": ("Type 2 diabetes mellitus without complications", "Fracture of left forearm",
                  "Parkinson's disease, late onset", "Acute upper respiratory infection",
                  "Crohn's disease of small intestine", "Guillain Barré syndrome",
                  "Non-Hodgkin lymphoma, unspecified", "Charcot-Marie-Tooth disease"),
    "employer": ("Works for State Government", "Works for Local Government",
                 "Works for Federal Government", "Private for profit company",
                 "Self employed, not incorporated", "Unemployed and looking for work"),
    "befund": ("Schmerzen im Rücken seit Tagen", "Patient klagt über Schwindel",
               "Heute keine Beschwerden, Blutdruck gut", "Verdacht auf Bruch am linken Arm",
               "Kontrolle beim Hausarzt in einer Woche", "Patientin ohne Fieber entlassen"),
    "motif": ("douleur au bas du dos", "contrôle après opération", "toux et fièvre depuis hier",
              "certificat pour le sport", "le patient demande un arrêt de travail"),
    "motivo": ("dolor de espalda desde ayer", "control después de la operación",
               "el paciente pide un informe", "mal di testa da tre giorni",
               "controllo della pressione", "dor de cabeça há três dias"),
    "income": ("from 50000 to 99999 a year", "100000 or more a year", "under 10,000 a year",
               "between 1.000.000 and 2.000.000 pesos", "no income at all in 2019"),
    "origin": ("Born in New Zealand", "Born in Costa Rica", "Born in the United States",
               "Born in Saudi Arabia", "Born in Sri Lanka", "Born in San Marino"),
    "religion": ("Roman Catholic", "Christian Orthodox", "Church of England", "Jehovah Witness",
                 "No religion at all", "Other Christian denomination"),
    "school": ("Martin Luther King High School", "Saint Mary primary school",
               "Jean Monnet College", "University of Santiago", "Technical school, two years"),
    "job": ("Sr Analyst", "HR Manager", "MS Office trainer", "Machine operator and inspector",
            "Teacher in primary school", "Nurse, night shift", "Driver of a delivery van"),
    "when": ("seen in April and May", "every Monday in June", "the week after Easter",
             "around Christmas, twice a day", "on 12.03.2019 at 10:30"),
    "crash": ("Driver lost control of vehicle", "Hit by car on a public road", "Route 66 at night",
              "Pedestrian on a crosswalk", "Passenger in a parked car", "Struck a fixed object"),
}  # fmt: skip
