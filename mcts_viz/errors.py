"""Every error that the package raises on purpose.

One root, few leaves: `except MctsVizError` catches whatever the package has to say to its user. A
message names the thing, the bad value and the fix. Nothing here prints or exits; that is the
command line's business, which has warnings as lines of its own, too.
"""


class MctsVizError(Exception):
    """Root of all errors of this package."""


class ArgumentError(MctsVizError, TypeError):
    """An argument of another type than the function takes."""


class GameError(MctsVizError):
    """An unknown game, a bad game parameter, or a move that the rules do not allow."""


class GameContractError(GameError):
    """A game of the user's own that breaks the contract of `Game`: which method, at which
    position."""


class SearchError(MctsVizError):
    """A preset, policy, parameter or budget that a search cannot run with."""


class TraceError(MctsVizError):
    """A trace file that cannot be read or written, or a question that a trace has no answer to."""


class TraceWriteError(TraceError):
    """A trace that cannot be written (any further): the disk is full or failing, the folder read-only, too
    many files open. What was written before can be opened."""


class TraceReplacedError(TraceError):
    """A trace file that was being followed has made room for another recording."""


class DamagedBatchError(TraceError):
    """A trace file that is damaged from some byte on; what precedes it is good."""


class WorkersKilledError(TraceError):
    """Processes that scan a fleet were killed; what they have done counts."""


class CacheWarning(UserWarning):
    """Something that was kept to save time was damaged, and is made anew."""


class IndexWarning(UserWarning):
    """A long trace that cannot be opened with an index."""


class ImportFormatError(MctsVizError):
    """A foreign file (a snapshot's JSON, say) that does not keep to its format."""


class UnknownFormatError(ImportFormatError):
    """A foreign file of unknown format."""


class ExportError(MctsVizError):
    """An export that cannot be made: an unknown suffix, a folder that is not there."""


class PageError(MctsVizError):
    """The page was asked for something that it cannot show."""
