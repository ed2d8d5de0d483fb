"""CSV read strictly: the same as the standard library's where that is right, refused where it guesses."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluations.importers import csv_rows
from evaluations.importers.rows import MAX_ROW_BYTES, FileFault, Row, RowFault

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12) | st.text(",;\t\"\r\n '=a")


def read(data: bytes | str) -> tuple[list[Row], list[RowFault]]:
    """The rows and the faults, the file's own last."""
    rows: list[Row] = []
    faults: list[RowFault] = []
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    try:
        for row in csv_rows.csv_rows(stream):
            rows.append(row) if isinstance(row, Row) else faults.append(row)
    except FileFault as error:
        faults.append(error.fault)
    return rows, faults


def values(data: bytes | str) -> list[dict[str, Any]]:
    rows, faults = read(data)
    assert faults == []
    return [dict(row.values) for row in rows]


def test_f22_a_quotation_mark_inside_an_unquoted_cell_is_refused_where_it_stands() -> None:
    rows, (fault,) = read('question,expected,tag\nq1,{"answer":""},x\n')
    assert rows == []
    assert (fault.line, fault.column, fault.code) == (2, "expected", "bad_quotation")
    assert values('question,expected,tag\nq1,"{""answer"":""""}",x\n') == [
        {"question": "q1", "expected": '{"answer":""}', "tag": "x"}
    ]


def test_f23_mark_semicolons_line_ends_spaces_and_newlines_in_cells() -> None:
    data = b'\xef\xbb\xbfinput;"answer"\r\n"two\r\nlines";  spaced \r\n\r\nlast;x'
    assert values(data) == [{"input": "two\r\nlines", "answer": "  spaced "}, {"input": "last", "answer": "x"}]
    rows, _ = read(data)
    assert [row.line for row in rows] == [2, 5]


def test_f23_a_row_that_is_short_or_long_is_reported_by_line_and_column() -> None:
    rows, faults = read("a,b,c\n1,2,3\n1,2\n1\n1,2,3,4\n,,\n7,8,9\n")
    assert [row.line for row in rows] == [2, 7]
    assert [(fault.line, fault.column, fault.code) for fault in faults] == [
        (3, "c", "ragged"), (4, "b", "ragged"), (5, "c", "ragged"),
    ]  # fmt: skip


def test_f23_a_long_cell_is_accepted_and_a_longer_row_refused() -> None:
    long = "x" * 200_000
    assert values(f'a,b\n"{long}",y\n') == [{"a": long, "b": "y"}]
    for cell in ("x" * (MAX_ROW_BYTES + 1), "é" * (MAX_ROW_BYTES // 2 + 1)):
        rows, (fault,) = read(f"a,b\n{cell},y\nz,z\n")
        assert (fault.line, fault.code, len(rows)) == (2, "too_large", 1)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_each_delimiter_and_line_end(delimiter: str, ending: str) -> None:
    lines = [delimiter.join(row) for row in (["a", '"b,;\t"'], ["1", '"x,;\ty"'], ["", '""""'])]
    expected = [{"a": "1", "b,;\t".strip(): "x,;\ty"}, {"a": "", "b,;\t".strip(): '"'}]
    assert values(ending.join(lines)) == expected
    assert values(ending.join(lines) + ending) == expected


def test_utf_16_with_its_mark_is_read() -> None:
    assert values("a\tb\r\né\t\U0001f600\r\n".encode("utf-16")) == [{"a": "é", "b": "\U0001f600"}]


@pytest.mark.parametrize(
    ("data", "line", "column", "code"),
    [
        (b"", 1, "", "no_header"),
        (b"\n\n", 1, "", "no_header"),
        (b"a,,c\n1,2,3\n", 1, "", "no_header"),
        (b"a,b,a\n", 1, "a", "repeated"),
        (b'a"b,c\n', 1, "", "bad_quotation"),
        (b'"a,c\n1,2\n', 1, "", "bad_quotation"),
        (",".join(f"c{n}" for n in range(201)).encode(), 1, "", "too_many_columns"),
        (b"a,b\n1,2\n\n3,\xff\n", 4, "", "encoding"),
        (b"a,b\n1,2\n3,\xc3", 3, "", "encoding"),
        ("a,b\n1,Grüße\n".encode("cp1252"), 2, "", "encoding"),
        (b'a,b\n1,"x\n3,4\n', 2, "b", "bad_quotation"),
        (b'a,b\n1,x"\n3,4\n5,6"\n', 2, "b", "bad_quotation"),
        (b'a,b\n1,"x"y\n', 2, "b", "bad_quotation"),
        (b'a,b\n1,"x" \n', 2, "b", "bad_quotation"),
        (b"a,b\n1,\x00\n", 2, "b", "unstorable_text"),
        (b'a,b\n1,"' + b"x" * 3_000_000, 2, "b", "bad_quotation"),
        (b'a,b\n1,5" x\n' + b"3,4\n" * 800_000, 2, "b", "bad_quotation"),
        (b"a,b\n1," + b"x" * 3_000_000, 2, "", "too_large"),
        (b"a" * 3_000_000, 1, "", "too_large"),
        (b'"' * 3_000_000, 1, "", "bad_quotation"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_stands(data: bytes, line: int, column: str, code: str) -> None:
    _, faults = read(data)
    assert [(fault.line, fault.column, fault.code) for fault in faults] == [(line, column, code)]


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8), st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None)
def test_what_the_standard_library_writes_is_read_as_it_was(
    table: list[tuple[str, str, str]], delimiter: str, ending: str
) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=ending)
    writer.writerow(("one", "two", "three"))
    # A lone carriage return ends a line for us, and needs quotation marks that \n alone does not make it write.
    quoted = csv.writer(buffer, delimiter=delimiter, lineterminator=ending, quoting=csv.QUOTE_ALL)
    for row in table:
        (quoted if "\r" in "".join(row) else writer).writerow(row)
    wanted = [dict(zip(("one", "two", "three"), row, strict=True)) for row in table if any(row)]
    assert values(buffer.getvalue()) == wanted


@given(st.binary(max_size=60) | st.text(',;\t"\r\na\x00\ufeff', max_size=40).map(str.encode))
@settings(max_examples=500, deadline=None)
def test_any_bytes_give_rows_or_faults(data: bytes) -> None:
    rows, faults = read(b"a,b\n" + data)
    assert all(len(row.values) == 2 for row in rows)
    assert all(fault.line >= 0 and fault.message for fault in faults)
