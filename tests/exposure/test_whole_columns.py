"""What one cell of a column tells is found although only a sample of its values is judged."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.contents.finding import Content
from shoal.contents.meaning import meanings_of
from shoal.contents.recognition import recognize
from shoal.contents.values import Values
from shoal.contents.vocabulary import Meaning


def test_every_text_of_a_column_is_read() -> None:
    texts = [f"visit {number} done" for number in range(5_000)] + ["seen by Anna Smith today"]
    assert "seen by Anna Smith today" in Values.of(pl.Series("note", texts)).phrases


def test_values_are_read_in_the_same_order_each_time() -> None:
    cells = [f"code {number}" for number in range(1_500)]
    orders = {
        tuple(Values.of(pl.Series("note", cells[at:] + cells[:at])).distinct) for at in (0, 7)
    }
    assert len(orders) == 1


@pytest.mark.parametrize(
    "cell",
    ["anna (at) example.org", "anna＠example．org", "anna @ example.org", "x:ANNA@EXAMPLE.ORG"],
)
def test_one_address_is_found_however_it_is_written(cell: str) -> None:
    found = recognize(Values.of(pl.Series("c", ["C1", "C2", "C3"] * 30 + [cell])))
    assert found[0].content is Content.EMAIL


def test_prices_and_places_are_no_addresses() -> None:
    cells = ["2 @ 3.50", "meet @ home. Then leave", "90/60 @ rest", "seen (at) 10.30 h"]
    found = recognize(Values.of(pl.Series("c", cells * 30)))
    assert Content.EMAIL not in {finding.content for finding in found}


def test_the_name_of_a_column_and_bytes_are_read() -> None:
    found = recognize(Values.of(pl.Series("anna@example.org", [1, 2, 2])))
    assert [finding.content for finding in found] == [Content.EMAIL]
    names = [b"Anna Smith", b"Jonas Lange", b"Marie Dubois", b"Lucia Rossi", b"Pedro Gomez"]
    found = recognize(Values.of(pl.Series("x", names * 5)))
    assert Content.PERSON_NAME in {finding.content for finding in found}


@pytest.mark.parametrize(
    "cells",
    [
        "王小明 李娜 张伟 刘洋 陈静 杨帆 赵磊 黄丽 周杰 吴敏",
        "김민수 이지은 박서준 최유리 정우성 강하늘 조인성 윤아름",
        "佐藤太郎 鈴木花子 田中実 渡辺健 小泉一郎 高橋さくら 野田洋子 山本次郎",
        "محمد_علي فاطمة_حسن أحمد_خالد سارة_يوسف زيد_منصور",
        "דוד_כהן שרה_לוי משה_פרץ נועה_ביטון גדי_אלון",
        "राहुल_शर्मा प्रिया_वर्मा अमित_सिंह नेहा_गुप्ता लक्ष्य_जैन",
        "สมชาย_ใจดี สมศรี_มีสุข วิชัย_ทองคำ นภา_แสงดาว ภูผา_เขียวขจี",
        "Γιώργος_Παππάς Μαρία_Νικολάου Ελένη_Δήμου Ζήσης_Βλάχος",
        "Сергій_Бондар Оксана_Ткач Тарас_Мельник Любомир_Гнатюк",
    ],
)
def test_names_of_people_are_found_in_other_scripts(cells: str) -> None:
    names = [cell.replace("_", " ") for cell in cells.split()]
    found = recognize(Values.of(pl.Series("x", names * 3)))
    assert Content.PERSON_NAME in {finding.content for finding in found}


@pytest.mark.parametrize(
    "cells",
    [
        "北京 上海 广州 深圳 天津 重庆 成都 武汉 南京 杭州 西安 石家庄市 黄石市 江门市",
        "서울 부산 대구 인천 광주 대전 울산 세종 수원",
        "東京都 大阪府 千葉県 石川県 山口県 京都府 福島県 愛知県 北海道",
    ],
)
def test_places_are_no_names_of_people(cells: str) -> None:
    assert recognize(Values.of(pl.Series("x", cells.split() * 3))) == ()


@pytest.mark.parametrize("name", ["manager", "employee", "resident", "x"])
def test_names_in_capitals_are_told_by_their_shape(name: str) -> None:
    given = ["ZOR", "MEL", "QUIM", "TARLO", "FENGRI", "SUMA"]
    family = ["VAKIN", "DORBY", "ESHTAR", "LOFEN", "GRISU", "MAQUIM"]
    full = [f"{one}{two[:2]} {two}{one[:3]}" for one in given for two in family]
    found = recognize(Values.of(pl.Series(name, full * 3)))
    assert [finding.content for finding in found] == [Content.PERSON_NAME]


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("患者姓名", Meaning.PERSON_NAME),
        ("電話番号", Meaning.PHONE),
        ("생년월일", Meaning.BIRTH),
        ("اسم المريض", Meaning.PERSON_NAME),
        ("العمر", Meaning.AGE),
        ("שם משפחה", Meaning.PERSON_NAME),
        ("रोगी का नाम", Meaning.PERSON_NAME),
        ("वेतन", Meaning.MONEY),
        ("วันเกิด", Meaning.BIRTH),
        ("ชื่อ", Meaning.PERSON_NAME),
        ("Διεύθυνση", Meaning.ADDRESS),
        ("Прізвище", Meaning.PERSON_NAME),
        ("вік", Meaning.AGE),
    ],
)
def test_column_names_in_other_scripts_speak(name: str, meaning: Meaning) -> None:
    assert meanings_of(name)[0][0] is meaning
