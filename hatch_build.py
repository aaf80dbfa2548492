"""What the package's page shows: the README, with links that work there.

Links in the README are relative, which is right where the files are. A package index
has only the text; so if ``WIDEMARGIN_REPOSITORY`` names the address of the repository,
they are made absolute, and the package names the address. The release workflow sets it
to where it runs. Without it, links stay as they are and no address is claimed.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "WIDEMARGIN_REPOSITORY"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Adds the README, and addresses if they are known."""

    def update(self, metadata):
        """Set what pyproject.toml calls dynamic."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get(VARIABLE, "").rstrip("/")
        if repository:
            text = absolute(text, repository, f"v{metadata['version']}")
            metadata["urls"] = {
                "Source": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(text, repository, tag):
    """Make links to files, and pictures, lead to the repository at a tag."""

    def replace(found):
        picture, label, target = found.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{label}]({repository}/{kind}/{tag}/{target})"

    return LINK.sub(replace, text)
