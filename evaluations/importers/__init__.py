"""PURE: files as items. Bytes go in; numbered rows come out, each an item or what is wrong with it.

`read_rows` reads a stream row by row and holds one of them at a time. Nothing here knows a
database: what stands in the dataset already is for the service to compare.
"""

from evaluations.importers.items import ItemRow, read_rows
from evaluations.importers.options import ImportOptions, read_options
from evaluations.importers.rows import MAX_FILE_BYTES, MAX_ROWS, RowFault

__all__ = ["MAX_FILE_BYTES", "MAX_ROWS", "ImportOptions", "ItemRow", "RowFault", "read_options", "read_rows"]
