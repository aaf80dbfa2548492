"""Public data sets for cases, each read once."""

from __future__ import annotations

from typing import Any

from evidence.data.loading import load
from evidence.data.sources import NotAvailable
from evidence.framework.running import Missing


class Sets:
    """Public data sets by name, each read, or found missing, once.

    Parameters
    ----------
    folder : path-like or None
        Data folder; None takes the one that ``WIDEMARGIN_DATA`` names.
    download : bool, default=True
        Whether to ask OpenML for what is not there.
    """

    def __init__(self, folder: Any = None, download: bool = True) -> None:
        self.folder, self.download = folder, download
        self._read: dict[Any, Any] = {}

    def __call__(self, name: str, *, as_frame: Any = False, raw: bool = False) -> Any:
        """The data set as a Bunch; see `evidence.data.load`.

        Raises
        ------
        Missing
            If it is not there; the message says how to supply it.
        """
        key = name, as_frame, raw
        if key not in self._read:
            self._read[key] = self._load(name, as_frame, raw)
        found = self._read[key]
        if isinstance(found, Missing):
            raise found
        return found

    def _load(self, name: str, as_frame: Any, raw: bool) -> Any:
        try:
            return load(
                name,
                data_home=self.folder,
                raw=raw,
                as_frame=as_frame,
                download_if_missing=self.download,
            )
        except NotAvailable as error:
            return Missing(error.told("--data DIR"))
        except ValueError as error:
            return Missing(str(error))
