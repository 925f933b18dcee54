"""rowcast: which row order and which kernel make sparse x dense fastest, and plans that do it.

    import rowcast
    rowcast.order(a, "lpt").row                     # a: scipy.sparse CSR
    rowcast.features(a)["nnz_per_row_mean"]
    rowcast.predict(a, "model.json", k=32).kernel
    rowcast.open_store("h200.h5").results()         # a pandas frame
    print(rowcast.answer(a, 64))                    # keep the order or not, and with which kernel
    plan = rowcast.plan(a, k=128); c = plan(b)      # b: of NumPy, or on a GPU, of CuPy or PyTorch
    scipy.sparse.linalg.cg(rowcast.linear_operator(a), b)
    s = rowcast.order_system(a); x = s.back(solve(s.permute(a), s.to(b)))

Over the installed C libraries by ctypes.  A call that fails raises rowcast.Error with the
library's line.
"""
from ._library import Error
from .linear import linear_operator
from .matrix import Schedule, features, order, version
from .model import Choice, Model, predict
from .plan import Answer, Plan, answer, execute_many, plan
from .store import Store, open_store
from .system import System, order_system

__all__ = ["Answer", "Choice", "Error", "Model", "Plan", "Schedule", "Store", "System", "answer",
           "execute_many", "features", "linear_operator", "open_store", "order", "order_system",
           "plan", "predict", "version"]
