"""Invented people of many languages: names, addresses, numbers with valid check digits.

The names were written for the tests alone, common and rare ones mixed. They are not taken from the
lists that the detectors use, so that finding them is not a foregone conclusion.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.cz import rc
from stdnum.de import idnr
from stdnum.es import dni
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.pt import nif
from stdnum.ro import cnp
from stdnum.se import personnummer
from stdnum.tr import tckimlik

if TYPE_CHECKING:
    import numpy as np

_GIVEN = {
    "en": "Oliver Harriet Callum Beatrix Declan Imogen Jasper Felicity Rupert Tabitha Nigel "
    "Doreen Gareth Myfanwy Shaun Kayleigh Desmond Philippa Barnaby Araminta Tyrone Latoya "
    "Wyatt Harper Marcus Brenda Elijah Savannah Colton Mackenzie James Sarah Robert Linda "
    "Emma Noah",
    "de": "Jonas Heike Torben Wiebke Lennart Friederike Dietmar Gudrun Ulf Annegret Sören "
    "Mareike Rüdiger Ingeborg Björn Svenja Hartmut Edeltraud Malte Leonie Detlef "
    "Rosemarie Fabian Antje Cornelius Hannelore Thorsten Ulrike Volker Lieselotte Peter "
    "Anna Stefan Sabine Lukas Mia",
    "fr": "Thibault Océane Gaël Solène Maxence Apolline Loïc Maëlys Fabrice Ghislaine Jean-Luc "
    "Marie-Claude Aurélien Capucine Yannick Bérengère Cédric Noémie Arnaud Clothilde "
    "Pascal Josiane Émile Hélène Florian Léna Didier Chantal Guillaume Margaux Pierre "
    "Marie Nicolas Camille",
    "es": "Joaquín Rocío Iker Macarena Íñigo Paloma Gonzalo Nuria Fermín Itziar Álvaro Remedios "
    "Leandro Yolanda Emiliano Xóchitl Rodrigo Guadalupe Hernán Milagros Baltasar "
    "Encarnación Jesús Consuelo Ramiro Dolores Ulises Esperanza Antonio Carmen José María "
    "Lucía Pablo",
    "it": "Gianluca Ornella Fabrizio Loredana Tommaso Ginevra Ermanno Fiorella Raffaele Assunta "
    "Dario Graziella Pierluigi Nicoletta Salvatore Concetta Ezio Mirella Matteo Giulia "
    "Luca Sofia",
    "pt": "Thiago Benedita Gustavo Juliana Otávio Raimunda Duarte Matilde Caetano Beatriz Vasco "
    "Conceição Washington Aparecida Leandro Iracema Rui Graça João Maria Pedro Ana",
    "nl": "Sjoerd Marieke Joris Fleur Bram Anouk Wouter Liesbeth Teun Femke Gijs Hanneke Koen "
    "Saskia Daan Sanne Jeroen Ineke Willem Emma",
    "sv": "Göran Birgitta Torbjörn Linnea Åke Gunilla Håkan Ebba Sixten Solveig Anders Ingrid "
    "Bjørn Astrid Kjell Mette Lars Freja",
    "pl": "Zbigniew Grażyna Przemysław Halina Kazimierz Bożena Mateusz Jadwiga Wojciech "
    "Agnieszka Bogdan Danuta Krzysztof Małgorzata Jan Anna",
    "cs": "Zdeněk Blanka Bohumil Květa Vojtěch Šárka Jaroslav Libuše Radek Tereza Jan Jana",
    "tr": "Serkan Elif Tayfun Nurgül Emre Şükran Oğuzhan Zeynep Mustafa Fatma Mehmet Ayşe",
    "fi": "Juhani Sirkka Pekka Helmi Tapio Riitta Antero Kaisa Mikko Anneli",
    "hu": "Zoltán Ilona Gergő Orsolya Tibor Katalin Attila Erzsébet László Mária",
    "ro": "Gheorghe Ionela Mihai Rodica Dragoș Viorica Sorin Doina Andrei Elena",
    "ru": "Николай Людмила Геннадий Оксана Аркадий Зинаида Дмитрий Светлана Иван Мария Егор Раиса",
}
_FAMILY = {
    "en": "Thornbury Ashcroft Pickering O'Donnell McAllister Whitcombe Hargreaves Tunnicliffe "
    "Boothe Stirling Fairweather Ramsbottom Washington Delacroix Hutchinson Penhaligon "
    "Blackwood Satterfield Yarborough Ledbetter Pruitt Beauchamp Smith Jones Taylor Brown "
    "Williams Johnson Davis Miller",
    "de": "Lange Feldkamp Oberhauser Kretschmar Brockmann Zieglowski Hohenstein Pfaffenberger "
    "Wüst Dörflinger Hinrichsen Stülpnagel Grabowski Trautwein Lindenschmidt Rademacher "
    "Kuhlmann Böttcher Achterberg Vogelsang Müller Schmidt Schneider Fischer Weber Becker "
    "Schulz Hoffmann",
    "fr": "Delaunay Bourguignon Castaing Lemercier Thévenot Rochefort Guichard Vasseur "
    "Pelletier Quesnel d'Aubigny Le Goff Marchetti Dubreuil Chastain Beaumont Martin "
    "Bernard Dubois Durand Lefebvre Moreau Girard Fontaine",
    "es": "Echeverría Villalobos Carrasco Peñaranda Zabaleta Montoya Arriaga Quintanilla Olmedo "
    "Berrocal Iturralde Cifuentes Palomino Saavedra García Fernández González Rodríguez "
    "López Martínez Sánchez Pérez",
    "it": "Brambilla Castellani Dell'Acqua Pellegrino Santoro Zanetti Fumagalli Cattaneo "
    "Lombardi Moretti Rossi Russo Ferrari Esposito",
    "pt": "Figueiredo Brandão Magalhães Vasconcelos Teixeira Quaresma Silva Santos Oliveira "
    "Souza Ferreira Pereira",
    "nl": "van der Meulen Hoekstra de Vries Zuiderveld ter Braak Dijkgraaf Jansen de Jong "
    "Bakker Visser",
    "sv": "Lindqvist Bergström Sjögren Hallgren Nyberg Ekdahl Andersson Johansson Karlsson Nilsson",
    "pl": "Wiśniewski Kaczmarczyk Zawadzka Piechota Grzelak Nowak Kowalski Kamińska Lewandowski",
    "cs": "Procházka Vondráčková Doležal Hrubý Novák Svobodová Dvořák Černý",
    "tr": "Karabulut Yıldırım Çelikkol Özdemir Yılmaz Kaya Demir Şahin",
    "fi": "Karjalainen Lehtonen Hämäläinen Rautavaara Korhonen Virtanen Mäkinen",
    "hu": "Szilágyi Bodnár Horváth Kocsis Nagy Kovács Tóth Szabó",
    "ro": "Dumitrescu Ungureanu Moldoveanu Popescu Ionescu Popa",
    "ru": "Воробьёв Галкина Мельниченко Трофимова Иванов Смирнова Кузнецов Попова",
}
_STREETS = {
    "en": (
        "{number} {word} Street",
        "{number} {word} Road",
        "{number}B {word} Avenue",
        "{number} {word} Lane",
    ),
    "de": (
        "{word}straße {number}",
        "{word}weg {number}a",
        "Am {word}berg {number}",
        "{word}allee {number}",
    ),
    "fr": ("{number} rue {word}", "{number} bis avenue {word}", "{number}, place {word}"),
    "es": ("Calle {word} {number}", "Avda. {word}, {number}", "Plaza {word} {number} 2º"),
    "it": ("Via {word} {number}", "Corso {word} {number}", "Piazza {word}, {number}"),
    "pt": ("Rua {word}, {number}", "Avenida {word}, {number}", "Travessa {word} {number}"),
    "nl": ("{word}straat {number}", "{word}laan {number}", "{word}weg {number}"),
    "pl": ("ul. {word} {number}", "al. {word} {number}/3", "os. {word} {number}"),
}
_CITIES = {
    "en": "Leeds Bristol Dayton Fresno Toledo Salem Norwich Exeter Boise Tulsa Perth Cork",
    "de": "Kassel Erfurt Ulm Bielefeld Passau Celle Goslar Trier Husum Zwickau Gießen",
    "fr": "Dijon Angers Nîmes Pau Vannes Chartres Colmar Brest Bayonne Roanne",
    "es": "Toledo Burgos Cádiz Huelva Lugo Cuenca Jaén Zamora Teruel Mérida",
    "it": "Parma Lecce Udine Pavia Ancona Trento Novara Siena",
    "pt": "Braga Faro Évora Leiria Recife Santos Campinas Viseu",
    "nl": "Gouda Breda Zwolle Delft Zeist Hoorn Sneek",
    "sv": "Lund Umeå Borås Kalmar Visby Aarhus Bergen",
    "pl": "Lublin Radom Opole Toruń Kielce Gdynia",
}
_PHONES = {
    "US": "+1 212 5## ####",
    "GB": "+44 20 7### ####",
    "DE": "+49 30 2######",
    "FR": "06 1# ## ## ##",
    "ES": "+34 612 ### ###",
    "IT": "+39 347 ### ####",
    "PT": "+351 912 ### ###",
    "RU": "+7 916 ###-##-##",
}
_PLATES = {
    "DE": ("B-?? ###", "HH-? ####", "KS-?? ##"),
    "FR": ("??-###-??",),
    "GB": ("?? ## ???".replace(" ", "", 1),),
    "ES": ("#### ???".replace("?", "~"),),
}
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_CONSONANTS = "BCDFGHJKLMNPRSTVWXYZ"
_NOTES = {
    "en": ("Patient {name} was seen by Dr {other} and reports pain since {day}.",
           "Spoke to {name}'s mother on the phone, she will call back after {day}.",
           "Lives alone in {city}; neighbour {other} brings the shopping.",
           "No complaints today, next visit planned for {day}, blood pressure fine."),
    "de": ("Herr {name} klagt seit {day} über Schmerzen im Rücken.",
           "Telefonat mit der Tochter von {name}, Rückruf am {day} vereinbart.",
           "Wohnt allein in {city}, Nachbar {other} hilft beim Einkaufen.",
           "Heute keine Beschwerden, nächster Termin am {day}, Blutdruck gut."),
    "fr": ("Madame {name} se plaint de douleurs depuis le {day}.",
           "Appel de la fille de {name}, elle rappellera le {day}.",
           "Vit seul à {city}, le voisin {other} fait les courses.",
           "Rien à signaler, prochain rendez-vous le {day}."),
    "es": ("El paciente {name} refiere dolor desde el {day}.",
           "Llamada de la hija de {name}, volverá a llamar el {day}.",
           "Vive solo en {city}; el vecino {other} le ayuda con la compra.",
           "Sin molestias hoy, próxima visita el {day}."),
}  # fmt: skip


def given_names(language: str) -> list[str]:
    """Return the given names of a language."""
    return _GIVEN[language].split()


def family_names(language: str) -> list[str]:
    """Return the family names of a language; particles belong to the name after them."""
    names: list[str] = []
    held: list[str] = []
    for word in _FAMILY[language].split():
        held.append(word)
        if (word[0].islower() and not word.startswith("d'")) or word == "Le":
            continue
        names.append(" ".join(held))
        held = []
    return names


@dataclass(frozen=True, slots=True)
class People:
    """Draws invented facts about people."""

    rng: np.random.Generator

    def pick(self, words: str | list[str] | tuple[str, ...]) -> str:
        """Return one of the words."""
        listed = words.split() if isinstance(words, str) else words
        return listed[int(self.rng.integers(len(listed)))]

    def filled(self, pattern: str) -> str:
        """Return a pattern with # as a digit, ? as a letter and ~ as a consonant."""
        drawn = {"#": "0123456789", "?": _LETTERS, "~": _CONSONANTS}
        return "".join(
            drawn[c][int(self.rng.integers(len(drawn[c])))] if c in drawn else c for c in pattern
        )

    def given(self, language: str) -> str:
        return self.pick(given_names(language))

    def family(self, language: str) -> str:
        return self.pick(family_names(language))

    def full(self, language: str) -> str:
        middle = f" {self.filled('?')}." if language == "en" and self.rng.random() < 0.2 else ""
        return f"{self.given(language)}{middle} {self.family(language)}"

    def reversed_full(self, language: str) -> str:
        return f"{self.family(language)}, {self.given(language)}"

    def street(self, language: str) -> str:
        words = family_names("de" if language in ("de", "nl") else language)
        pattern = self.pick(_STREETS[language])
        return pattern.format(word=self.pick(words), number=int(self.rng.integers(1, 190)))

    def city(self, language: str) -> str:
        return self.pick(_CITIES[language])

    def email(self, language: str) -> str:
        host = self.pick("example.org mail.example.com web.example.net post.example.de")
        plain = f"{self.given(language)}.{self.family(language)}".lower().replace(" ", "")
        folded = plain.encode("ascii", "ignore").decode().replace("'", "")
        return f"{folded}{self.filled('##')}@{host}"

    def phone(self, country: str) -> str:
        return self.filled(_PHONES[country])

    def plate(self, country: str) -> str:
        return self.filled(self.pick(_PLATES[country]))

    def iban(self, country: str) -> str:
        account = self.filled({"DE": "#" * 18, "NL": "ABNA" + "#" * 10, "FR": "#" * 23}[country])
        digits = iban.calc_check_digits(f"{country}00{account}")
        return f"{country}{digits}{account}"

    def card(self) -> str:
        body = self.filled("4###############")[:15]
        return body + luhn.calc_check_digit(body)

    def imei(self) -> str:
        body = self.filled("35############")
        return body + luhn.calc_check_digit(body)

    def ip(self) -> str:
        return ".".join(str(int(part)) for part in self.rng.integers(1, 255, 4))

    def url(self) -> str:
        return f"https://social.example/{self.given('en').lower()}{self.filled('###')}"

    def born(self) -> datetime.date:
        return datetime.date(1930, 1, 1) + datetime.timedelta(int(self.rng.integers(0, 28_000)))

    def note(self, language: str) -> str:
        return self.pick(_NOTES[language]).format(
            name=self.family(language),
            other=self.family(language),
            day=f"{int(self.rng.integers(1, 28))}.{int(self.rng.integers(1, 12))}.",
            city=self.city(language),
        )

    def national(self, country: str) -> str:  # noqa: C901 (one rule a country)
        """Return a valid number of a country's register of persons or tax payers."""
        born = self.born()
        short, draw = born.strftime("%y%m%d"), self.filled
        match country:
            case "gb":
                return self._checked(nhs.is_valid, lambda: draw("4#########"))
            case "de":
                return self._checked(idnr.is_valid, lambda: draw("###########"))
            case "fr":
                body = f"{self.pick('1 2')}{born:%y%m}{draw('75######')}"
                return body + nir.calc_check_digits(body)
            case "es":
                body = draw("########")
                return body + dni.calc_check_digit(body)
            case "it":
                return self._checked(
                    codicefiscale.is_valid,
                    lambda: self._italian(born),
                )
            case "br":
                body = draw("#########")
                return cpf.format(body + cpf._calc_check_digits(body))
            case "nl":
                return self._checked(bsn.is_valid, lambda: draw("#########"))
            case "se":
                return self._checked(personnummer.is_valid, lambda: f"{short}-{draw('####')}")
            case "pl":
                return self._checked(pesel.is_valid, lambda: short + draw("#####"))
            case "pt":
                body = self.pick("1 2") + draw("#######")
                return body + nif.calc_check_digit(body)
            case "cz":
                return self._checked(rc.is_valid, lambda: f"{short}/{draw('####')}")
            case "tr":
                body = self.pick("1 2 3 4 5") + draw("########")
                return body + tckimlik.calc_check_digits(body)
            case "fi":
                return self._checked(
                    hetu.is_valid, lambda: f"{born:%d%m%y}-{draw('###')}{draw('?')}"
                )
            case "ro":
                body = f"{self.pick('1 2')}{short}{draw('12###')}"
                return body + cnp.calc_check_digit(body)
        raise ValueError(country)

    def _italian(self, born: datetime.date) -> str:
        month = "ABCDEHLMPRST"[born.month - 1]
        body = f"{self.filled('~~~~~~')}{born:%y}{month}{born.day:02d}H501"
        return body + codicefiscale.calc_check_digit(body)

    def _checked(self, valid: object, make: object) -> str:
        while True:
            made = make()  # type: ignore[operator]
            if valid(made):  # type: ignore[operator]
                return str(made)
