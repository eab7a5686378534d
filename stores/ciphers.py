"""Ciphers of the package cryptography, loaded only when needed."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memzoo.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

__all__ = ["cryptography", "fernet_of", "hmac_of"]


def cryptography() -> Any:
    """Return the module `fernet` of the package cryptography.

    Raises:
        MissingExtraError: The package is not installed.
    """
    try:
        from cryptography import fernet
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("an encrypted store", "encryption") from error
    return fernet


def fernet_of(keys: Sequence[str | bytes]) -> "MultiFernet":
    """Return a cipher that encrypts with the first key, and decrypts with any of the keys.

    Raises:
        OptionError: One of the keys is invalid.
    """
    package = cryptography()
    try:
        return package.MultiFernet([package.Fernet(key) for key in keys])  # type: ignore[no-any-return]
    except (ValueError, TypeError) as error:
        raise OptionError(
            "an encryption key must be 32 bytes as URL-safe base64, such as EncryptedStore.new_key() makes"
        ) from error


def hmac_of(key: bytes, *parts: str) -> bytes:
    """Return a pseudonym (HMAC-SHA256) of texts. Without the key, the pseudonym cannot be computed."""
    return hmac.new(key, json.dumps(parts).encode(), hashlib.sha256).digest()
