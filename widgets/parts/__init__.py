"""Building blocks every widget is made of. One part, one Python file and one script."""

from widgets.parts.code_copy import CodeCopy
from widgets.parts.editable_matrices import EditableMatrices, Line, Matrix
from widgets.parts.field_sheet import FieldSheet
from widgets.parts.head_maps import HeadMaps
from widgets.parts.ledger_table import LedgerTable
from widgets.parts.matrix_view import MatrixView
from widgets.parts.number_table import NumberTable
from widgets.parts.part import Part
from widgets.parts.patch_crops import PatchCrops
from widgets.parts.patch_pixels import PatchPixels
from widgets.parts.pattern_row import PatternRow
from widgets.parts.pattern_wall import PatternWall
from widgets.parts.picture_grid import PictureGrid
from widgets.parts.picture_upload import PictureUpload
from widgets.parts.plot import Plot, Series
from widgets.parts.range_slider import RangeSlider
from widgets.parts.row_flow import RowFlow
from widgets.parts.step_bar import StepBar
from widgets.parts.text_file import TextFile
from widgets.parts.token_curves import TokenCurves
from widgets.parts.token_strip import TokenStrip

__all__ = [
    "CodeCopy",
    "EditableMatrices",
    "FieldSheet",
    "HeadMaps",
    "LedgerTable",
    "Line",
    "Matrix",
    "MatrixView",
    "NumberTable",
    "Part",
    "PatchCrops",
    "PatchPixels",
    "PatternRow",
    "PatternWall",
    "PictureGrid",
    "PictureUpload",
    "Plot",
    "RangeSlider",
    "RowFlow",
    "Series",
    "StepBar",
    "TextFile",
    "TokenCurves",
    "TokenStrip",
]
