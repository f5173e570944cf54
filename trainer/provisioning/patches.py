"""The corrections to Horovod 0.28.1's source, as text to find and text to put there.

Each correction is a value: a name, and edits of single files. An edit whose place is not found
exactly once is an error, never a guess. The C++ corrections export a symbol each, so that a built
library can be asked what it carries (trainer/corrections.py: `symbol`).

Nothing of this is fixed in a Horovod release: 0.28.1 (June 2023) is the last one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Iterable, List, NamedTuple, Tuple

from ..corrections import (
    CLEAN_REMOVAL,
    GLOO_INTERFACE,
    MARKER_NAME,
    REMOVED_EXIT_CODE,
    REMOVED_SYMBOL,
    SOFT_INIT,
    symbol,
)
from .errors import CorrectionFailed

OPERATIONS = "horovod/common/operations.cc"
GLOO_CONTEXT = "horovod/common/gloo/gloo_context.cc"
TF_CMAKE = "horovod/tensorflow/CMakeLists.txt"
BASICS = "horovod/common/basics.py"
SETUP = "setup.py"


class Edit(NamedTuple):
    path: str
    find: str
    put: str


class Correction(NamedTuple):
    name: str
    edits: Tuple[Edit, ...]


# TensorFlow 2.16 moved the XLA headers that xla_mpi_ops.cc includes, so the file no longer
# compiles. Without it only collectives inside XLA-compiled functions are lost, which is an opt-in
# of Horovod (HOROVOD_ENABLE_XLA_OPS). The other half of building for TensorFlow >= 2.16, two more
# include folders, is in options.py because it changes no source.
NO_XLA_OPS = Correction(
    "no-xla-ops",
    (
        Edit(
            TF_CMAKE,
            'list(APPEND TF_SOURCES "${PROJECT_SOURCE_DIR}/horovod/tensorflow/xla_mpi_ops.cc")\n',
            "",
        ),
    ),
)

# The context of a process set, the global one included, carries the collectives, but it reads an
# interface member that nobody ever assigns. Gloo then resolves the host's own name, which is
# 127.0.1.1 on a default Debian or Ubuntu, and the other hosts are told to connect to themselves.
# The interface of the global context (HOROVOD_GLOO_IFACE) is what was meant.
USE_GLOBAL_INTERFACE = Correction(
    GLOO_INTERFACE,
    (
        Edit(
            GLOO_CONTEXT,
            """\
  device_attr.iface = gloo_iface_;
  device_attr.ai_family = AF_UNSPEC;
  auto dev = CreateDevice(device_attr);

  global_ctx = global_context.ctx;
""",
            """\
  gloo_iface_ = global_context.gloo_iface_;
  device_attr.iface = gloo_iface_;
  device_attr.ai_family = AF_UNSPEC;
  auto dev = CreateDevice(device_attr);

  global_ctx = global_context.ctx;
""",
        ),
        Edit(
            GLOO_CONTEXT,
            """\
    throw std::logic_error("Unsupported communicator type.");
  }
}

} // namespace common
} // namespace horovod
""",
            """\
    throw std::logic_error("Unsupported communicator type.");
  }
}

} // namespace common
} // namespace horovod

extern "C" int %s() { return 1; }
"""
            % symbol(GLOO_INTERFACE),
        ),
    ),
)

# The Gloo initialisation runs in a background thread outside of any try, so that a peer which does
# not come (its ssh failed, its machine died, its import was too slow) ends in std::terminate, and
# with every survivor the whole job. Here the failure puts the process back to "not initialised" and
# horovod_init returns false, which Python turns into a ValueError: a caller may shut down and
# initialise again, and the driver has by then blacklisted the host. Order: the flag that wakes
# horovod_init comes last, after everything is put back.
# horovod_shutdown must clear the flag too, or every later initialisation would fail at once.
FAIL_SOFTLY = Correction(
    SOFT_INIT,
    (
        Edit(
            OPERATIONS,
            """\
#if HAVE_GLOO
#if HAVE_MPI
  if (global_mpi_context.IsEnabled()) {
    // Initialize gloo context if mpi context is available
""",
            """\
#if HAVE_GLOO
  try {
#if HAVE_MPI
  if (global_mpi_context.IsEnabled()) {
    // Initialize gloo context if mpi context is available
""",
        ),
        Edit(
            OPERATIONS,
            """\
    // Initializes global controller
    state.process_set_table.Initialize(global_gloo_context);
  }
#endif // HAVE_GLOO
""",
            """\
    // Initializes global controller
    state.process_set_table.Initialize(global_gloo_context);
  }
  } catch (const std::exception& ex) {
    if (std::string(ex.what()).find("has been removed from elastic job") !=
        std::string::npos) {
      throw;
    }
    LOG(ERROR) << "Horovod could not be initialized: " << ex.what();
    state.process_set_table.Get(0).Finalize(SHUT_DOWN_ERROR);
    global_gloo_context.Finalize();
    state.shut_down = true;
    state.initialization_failed = true;
    return;
  }
#endif // HAVE_GLOO
""",
        ),
        Edit(
            OPERATIONS,
            """\
    horovod_global.shut_down = false;
    horovod_global.initialization_done = false;
  }
}
""",
            """\
    horovod_global.shut_down = false;
    horovod_global.initialization_done = false;
    horovod_global.initialization_failed = false;
  }
}

int %s() { return 1; }
"""
            % symbol(SOFT_INIT),
        ),
    ),
)

# Stock Horovod lets a removed worker die of the very same uncaught exception: SIGABRT, a core dump
# perhaps, and no atexit, finally or flush in the user's script. With FAIL_SOFTLY applied before,
# the removal can end the initialisation in the same way, remembered in a flag: init() then raises
# SystemExit with a status of its own (not ValueError: whoever tries again after a ValueError would
# report the removed worker as ready to the driver and be counted as one of those who stay).
# The flag is for good; a process that was removed is never taken back, the driver starts a new one.
LEAVE_CLEANLY = Correction(
    CLEAN_REMOVAL,
    (
        Edit(
            OPERATIONS,
            """\
// All the Horovod state that must be stored globally per-process.
HorovodGlobalState horovod_global;
""",
            """\
// All the Horovod state that must be stored globally per-process.
HorovodGlobalState horovod_global;

// Set for good once the driver has said that this process is not in the job.
std::atomic_bool removed_from_elastic_job{false};
""",
        ),
        Edit(
            OPERATIONS,
            """\
        std::string::npos) {
      throw;
    }
    LOG(ERROR) << "Horovod could not be initialized: " << ex.what();
""",
            """\
        std::string::npos) {
      removed_from_elastic_job = true;
      std::cerr << ex.what() << std::endl;
    } else {
      LOG(ERROR) << "Horovod could not be initialized: " << ex.what();
    }
""",
        ),
        Edit(
            OPERATIONS,
            """\
  // Ensure background thread is only started once.
  if (!horovod_global.initialize_flag.test_and_set()) {
""",
            """\
  if (removed_from_elastic_job) {
    return false;
  }
  // Ensure background thread is only started once.
  if (!horovod_global.initialize_flag.test_and_set()) {
""",
        ),
        Edit(
            OPERATIONS,
            "\nint %s() { return 1; }\n" % symbol(SOFT_INIT),
            """
int %s() { return 1; }

int %s() { return 1; }

bool %s() { return removed_from_elastic_job; }
"""
            % (symbol(SOFT_INIT), symbol(CLEAN_REMOVAL), REMOVED_SYMBOL),
        ),
        Edit(
            BASICS,
            """\
        if not initialization_ok:
            raise ValueError(
""",
            """\
        if not initialization_ok:
            self.MPI_LIB_CTYPES.%s.restype = ctypes.c_bool
            if self.MPI_LIB_CTYPES.%s():
                raise SystemExit(%d)
            raise ValueError(
"""
            % (REMOVED_SYMBOL, REMOVED_SYMBOL, REMOVED_EXIT_CODE),
        ),
    ),
)

# Not a change of Horovod: our marker file has to travel in the wheel.
CARRY_MARKER = Correction(
    "carry-marker",
    (
        Edit(
            SETUP,
            "      packages=find_packages(),\n",
            "      packages=find_packages(),\n      package_data={'horovod': ['%s']},\n"
            % MARKER_NAME,
        ),
    ),
)

RUNTIME: Tuple[Correction, ...] = (USE_GLOBAL_INTERFACE, FAIL_SOFTLY, LEAVE_CLEANLY)


def corrected(text: str, edit: Edit, correction: str) -> str:
    """`text` with the edit made; CorrectionFailed unless its place is there exactly once."""
    places = text.count(edit.find)
    if places != 1:
        raise CorrectionFailed(
            "The correction '%s' found its place %d times in %s instead of once, so this is not "
            "the source of Horovod that it was written for. Use the unchanged sdist of Horovod "
            "0.28.1, or build without corrections (--stock)." % (correction, places, edit.path)
        )
    return text.replace(edit.find, edit.put)


def apply(tree: Path, corrections: Iterable[Correction]) -> None:
    """Make the corrections, in their order, in an unpacked sdist."""
    for correction in corrections:
        for edit in correction.edits:
            path = tree / edit.path
            try:
                text = path.read_bytes().decode("utf-8")
            except FileNotFoundError:
                text = ""
            path.write_bytes(corrected(text, edit, correction.name).encode("utf-8"))


def digest(corrections: Iterable[Correction]) -> str:
    """Twelve hex digits that change whenever what the corrections do changes."""
    parts: List[str] = []
    for correction in corrections:
        parts.append(correction.name)
        for edit in correction.edits:
            parts.extend(edit)
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:12]
